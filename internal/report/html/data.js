// The report, as page.go of package report writes it.

const data = JSON.parse(document.getElementById("data").textContent);

// names puts texts in the place of their numbers.
function names(object, ...fields) {
	for (const field of fields) {
		object[field] = data.texts[object[field]];
	}
}

for (const race of data.findings.flat()) {
	names(race, "name", "test", "package");
	names(race.a, "what", "source", "who");
	names(race.b, "what", "source", "who");
	race.lanes?.forEach((lane) => names(lane, "name"));
}

// frame is a place in a function, by its number.
function frame(n) {
	const [func, file, line, col] = data.frames[n];
	const name = data.texts[file];
	const base = name.slice(name.lastIndexOf("/") + 1);
	const at = (file, ...numbers) => [file, ...numbers.filter((x) => x > 0)].join(":");
	return {
		func: data.texts[func], file: name, base, line,
		short: name ? at(base, line) : "", full: name ? at(name, line, col) : "unknown position",
	};
}

// stepOf is a step by the numbers of its line and its event.
function stepOf([line, event]) {
	const [goroutine, at, text, operation, source, held, off] = data.lines[line];
	return {
		line, event, goroutine, at, off: off === 1, times: 1,
		text: data.texts[text], operation: data.texts[operation], source: data.texts[source], held: data.texts[held],
	};
}

// scheduleOf are the steps of a race's schedule. The two accesses come last.
function scheduleOf(race) {
	const steps = [];
	let event = 0;
	for (let i = 0; i < (race.steps || []).length; i += 2) {
		event += race.steps[i + 1];
		steps.push(stepOf([race.steps[i], event]));
	}
	return steps;
}

// recordedOf are the same steps in the order of the recorded run, with the ends of the chain that
// orders the accesses there. Steps that were not recorded have negative numbers.
function recordedOf(race) {
	const by = new Map();
	const ends = (race.order || []).flatMap((edge) => [stepOf(edge.from), stepOf(edge.to)]);
	for (const step of [...ends, ...scheduleOf(race)]) {
		if (step.event >= 0) {
			by.set(step.event, step);
		}
	}
	return [...by.values()].sort((a, b) => a.event - b.event);
}

// rowsOf are the rows of a board for steps. Steps in succession that are the same but for their
// events are one row, which has their number, unless an event is one of those to keep.
function rowsOf(steps, keep) {
	const rows = [];
	for (const step of steps) {
		const last = rows.length > 0 && rows[rows.length - 1][0];
		if (last && last.line === step.line && !keep.has(last.event) && !keep.has(step.event)) {
			last.times++;
		} else {
			rows.push([step]);
		}
	}
	return rows;
}

// readsOf are the reads that see other values than in the recorded run, by their events.
function readsOf(race) {
	return new Map((race.reads || []).map((read) => [read.event[1], read]));
}

// nameOf is the name of a goroutine of a race.
function nameOf(race, goroutine) {
	const lane = (race.lanes || []).find((lane) => lane.id === goroutine);
	return lane ? lane.name : "goroutine " + goroutine;
}

// findings are those of the report with what search and filters compare.
const findings = data.findings.map((races, number) => {
	const places = races.flatMap((race) => [frame(race.a.at), frame(race.b.at)]);
	const words = races.flatMap((race) => [race.id, race.name, race.tier, race.proof, race.test, race.package, race.a.kind, race.b.kind, race.a.source, race.b.source]);
	return {
		number, races, first: races[0],
		key: races[0].id || "finding-" + (number + 1),
		tiers: new Set(races.map((race) => race.tier)),
		packages: new Set(races.map((race) => race.package)),
		files: new Set(places.map((place) => place.file)),
		words: [...words, ...places.flatMap((place) => [place.full, place.func])].join("\n").toLowerCase(),
	};
});

// tiers explains the words for how sure a finding is, the surest first.
const tiers = {
	confirmed: "Go's race detector reported it in a replay",
	observed: "no synchronisation orders the accesses in the recorded run",
	predicted: "a schedule in which the reads that matter see their recorded values",
	"by-value": "a schedule in which reads see other values, with the same branches",
	"by-path": "a schedule in which a goroutine leaves its recorded path",
	replayed: "Go's race detector reported it under a schedule that presage tried",
	candidate: "a pair without a proof; it need not be a race",
	likely: "a warning from the source alone",
	possible: "a warning from the source alone",
	unlikely: "a warning from the source alone",
};
