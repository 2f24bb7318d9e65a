// The view of one finding: its races, and of one of them the picture, the accesses and the replay.

class FindingView {
	constructor(finding, app) {
		this.finding = finding;
		this.app = app;
		this.body = el("div");
		this.element = el("main", { class: "finding" }, this.head(), this.tabs = el("div"), this.body);
		this.choose(0);
	}

	head() {
		const { first, number } = this.finding;
		const list = this.app.shown();
		const i = list.indexOf(this.finding);
		const to = (label, key, by) => el("button", { type: "button", class: "quiet", disabled: !list[i + by], onclick: () => this.app.move(by), "aria-label": label + " (" + key + ")" }, by < 0 ? "‹ previous" : "next ›");
		this.title = el("h1", { tabindex: "-1" }, el("span", { class: "tier " + first.tier, title: tiers[first.tier] }, first.tier), " ", el("span", { class: "name" }, first.name));
		return el("header", { class: "top" },
			el("nav", {}, el("a", { href: "#", class: "back" }, "‹ all findings"),
				el("span", { class: "count" }, i < 0 ? "finding " + (number + 1) : (i + 1) + " of " + list.length), to("Previous finding", "k", -1), to("Next finding", "j", 1)),
			this.title,
			el("p", { class: "facts" }, first.test && ["in ", el("b", {}, first.test), " · "], first.package, first.id && [" · ", el("code", {}, first.id)]));
	}

	// choose shows a race of the finding.
	choose(n) {
		const races = this.finding.races;
		this.race = races[n];
		this.at = n;
		this.picture?.stop();
		this.tabs.replaceChildren(...(races.length > 1 ? [this.races()] : []));
		this.picture = (this.race.steps || []).length > 0 ? new Picture(this.race) : null;
		const said = this.picture && this.picture.breakable; // its caption says why -race does not see the race
		const parts = [!said && el("p", { class: "why" }, this.race.why), ...this.departures(), this.picture && this.picture.element, this.accesses(), this.reads(), this.notes(), this.replay()];
		this.body.replaceChildren(...parts.filter(Boolean));
	}

	// races lists the races of the finding.
	races() {
		const rows = this.finding.races.map((race, n) => el("tr", { class: n === this.at && "selected", onclick: () => this.choose(n) },
			el("td", {}, el("span", { class: "tier " + race.tier }, race.tier)),
			el("td", {}, el("button", { type: "button", class: "link", "aria-pressed": String(n === this.at) }, race.a.kind + " " + frame(race.a.at).short)),
			el("td", {}, race.b.kind + " " + frame(race.b.at).short),
			el("td", { class: "id" }, race.id)));
		return el("section", { class: "races", "aria-label": "Races of this finding" },
			el("h2", {}, count(rows.length, "race") + " of this finding"), el("div", { class: "rows" }, el("table", {}, el("tbody", {}, rows))));
	}

	// departures say where goroutines leave their recorded paths.
	departures() {
		return (this.race.paths || []).map((path) => el("div", { class: "departure" }, el("p", {}, path.text), path.source && el("pre", {}, path.source)));
	}

	accesses() {
		return el("section", { class: "accesses", "aria-label": "The two accesses" }, this.access("a"), this.access("b"));
	}

	access(side) {
		const access = this.race[side], place = frame(access.at);
		return el("article", { class: "side " + side },
			el("h2", {}, access.kind, " ", el("code", {}, access.what)),
			el("p", {}, "by ", el("b", { class: "who" }, access.who), access.off && ", off the recorded path"),
			access.source && el("pre", {}, access.source),
			el("p", { class: "file" }, place.full),
			this.stack("stack", access.stack),
			access.locks && el("p", {}, el("b", {}, "holding "), access.locks.length ? access.locks.join(", ") : "no lock"),
			access.created && this.stack("started " + (access.parent ? "by goroutine " + access.parent + " " : "") + "at", access.created));
	}

	stack(title, frames) {
		return frames && el("div", { class: "stack" }, el("h3", {}, title),
			el("ol", {}, frames.map(frame).map((place) => el("li", {}, el("span", { class: "func" }, place.func || "?"), el("span", { class: "file" }, place.full)))));
	}

	// reads list the reads that branches and addresses depend on.
	reads() {
		const { race } = this;
		return race.reads && el("section", { class: "reads" }, el("h2", {}, "Reads with other values than in the recorded run, or not in it"),
			el("ul", {}, race.reads.map((read) => {
				const step = stepOf(read.event), from = read.from && stepOf(read.from);
				return el("li", {}, nameOf(race, step.goroutine), " ", step.text, " at ", el("span", { class: "file" }, frame(step.at).short), ": ", el("b", {}, read.sees),
					from && [", from ", nameOf(race, from.goroutine), frame(from.at).short && " at " + frame(from.at).short, from.source && [": ", el("code", {}, from.source)]]);
			})));
	}

	notes() {
		const { race } = this;
		const list = [
			race.keeps && "Schedule of " + count(race.events, "event") + ". " + race.keeps,
			race.count > 1 && count(race.count, "pair") + " of accesses at these two source lines.",
			...(race.notes || []),
		].filter(Boolean);
		return list.length > 0 && el("section", { class: "notes" }, el("h2", {}, "Notes"), el("ul", {}, list.map((note) => el("li", {}, note))));
	}

	replay() {
		const { race } = this;
		const commands = (race.commands || []).map((command) => {
			const code = el("code", {}, command);
			return el("p", { class: "command" }, code, copyButton(command, code));
		});
		const replay = race.replay;
		return (replay || commands.length > 0) && el("section", { class: "replay" }, el("h2", {}, "See for yourself"),
			replay && el("p", {}, replay.text), commands,
			replay && replay.report && el("details", {}, el("summary", {}, "What Go's race detector reported"), el("pre", {}, replay.report)));
	}

	// key takes a key of the keyboard, and reports whether it has a meaning here.
	key(key) {
		const races = this.finding.races.length;
		if (key === "]" || key === "[") {
			this.choose((this.at + (key === "]" ? 1 : races - 1)) % races);
			return true;
		}
		const p = this.picture;
		const actions = p ? {
			ArrowRight: () => p.step(1), ArrowDown: () => p.step(1), ArrowLeft: () => p.step(-1), ArrowUp: () => p.step(-1),
			Home: () => p.step(-Infinity), End: () => p.step(Infinity), b: () => p.toggle(), p: () => p.play(),
		} : {};
		actions[key]?.();
		return key in actions;
	}
}
