// The picture of a race: the recorded run with the order that hid the race, as an arrow to break,
// and the schedule that exposes it, with a slider.

class Picture {
	constructor(race) {
		this.race = race;
		this.broken = false;
		const keep = new Set([race.a.event, race.b.event, ...(race.reads || []).map((read) => read.event[1]), ...(race.order || []).flatMap((edge) => [edge.from[1], edge.to[1]])]);
		const steps = scheduleOf(race);
		this.schedule = rowsOf(steps, keep);
		if (!race.recorded && steps.length > 1) { // the two accesses are side by side
			this.schedule = [...rowsOf(steps.slice(0, -2), keep), steps.slice(-2)];
		}
		this.recorded = (race.order || []).length > 0 ? rowsOf(recordedOf(race), keep) : null;
		this.breakable = this.recorded !== null && !race.recorded && race.order.some((edge) => edge.broken);

		this.slider = el("input", { type: "range", min: "0", step: "1", class: "slider", "aria-label": "Step", oninput: () => this.go(Number(this.slider.value)) });
		this.number = el("output", { class: "number" });
		this.inspector = el("div", { class: "inspector", "aria-live": "polite" });
		this.player = el("button", { type: "button", onclick: () => this.play(), "aria-label": "Play the steps (p)" }, "play");
		this.boards = el("div", { class: "boards" });
		this.element = el("section", { class: "picture", "aria-label": "Picture of the race" },
			this.caption = el("p", { class: "caption" }), this.left(),
			el("div", { class: "controls" }, this.button("‹", "Previous step", -1), this.slider, this.button("›", "Next step", 1), this.number, this.player),
			this.inspector, this.boards);
		this.draw();
	}

	button(sign, label, by) {
		return el("button", { type: "button", "aria-label": label, onclick: () => this.step(by) }, sign);
	}

	// left says which steps are left out.
	left() {
		const { omitted, cut } = this.race;
		const parts = [
			omitted && "the report leaves out " + count(omitted, "earlier step"),
			cut && "this page leaves out " + count(cut, "earlier step") + ", which presage report -format json has",
		].filter(Boolean).join("; ");
		return parts && el("p", { class: "left" }, parts[0].toUpperCase() + parts.slice(1) + ".");
	}

	// draw makes the boards: the recorded run while its order holds, both when it is broken.
	draw() {
		const { race, breakable, broken } = this;
		const both = this.recorded !== null && (broken || !breakable && !race.recorded);
		const boards = [];
		const add = (rows, label) => {
			const board = new Board({ race, rows, label, mostLanes: both ? 3 : 6, pick: (row) => this.go(row) });
			boards.push(board);
			return board;
		};
		if (this.recorded) {
			add(this.recorded, "The recorded run").orders(race.order.map((edge) => this.order(edge)));
		}
		if (both || !this.recorded) {
			add(this.schedule, race.recorded ? "The recorded run" : "A schedule that exposes the race");
		}
		this.live = boards[boards.length - 1];
		this.all = boards;
		if (both) { // the slider is that of the last one
			boards[0].pick = () => {};
			boards[0].at = boards[0].rows.length;
		}
		this.boards.classList.toggle("both", both);
		this.boards.replaceChildren(...boards.map((board) => board.element));
		this.slider.max = this.live.rows.length - 1;
		this.caption.replaceChildren(...this.says());
		this.go(this.live.rows.length - 1);
		boards[0].reveal();
	}

	// order is an edge of the chain as an arrow of a board.
	order(edge) {
		const from = stepOf(edge.from), to = stepOf(edge.to), breaks = edge.broken && this.breakable;
		const text = nameOf(this.race, from.goroutine) + " " + from.text + " before " + nameOf(this.race, to.goroutine) + " " + to.text;
		const button = breaks && el("button", {
			type: "button", class: "break", title: text, "aria-pressed": String(this.broken), onclick: () => this.toggle(),
			"aria-label": (this.broken ? "Restore" : "Break") + " the order: " + text + " (b)",
		}, this.broken ? "restore" : "break");
		return { from, to, broken: breaks && this.broken, button };
	}

	// says explains what is drawn.
	says() {
		const { race, breakable, broken } = this;
		const where = (step) => [step.text, frame(step.at).short && " at ", frame(step.at).short && el("b", {}, frame(step.at).short)];
		const edges = race.order || [];
		const chain = edges.flatMap((edge, i) => {
			const from = stepOf(edge.from), to = stepOf(edge.to);
			return [i > 0 && ", and ", nameOf(race, from.goroutine), " ", ...where(from), " before ", nameOf(race, to.goroutine), " ", ...where(to)];
		}).filter(Boolean);
		if (broken) {
			return [...edges.filter((edge) => edge.how).map((edge) => edge.how + " "), "There the two accesses meet, and nothing orders them."];
		} else if (breakable) {
			return ["In the recorded run, ", ...chain, ". That order hides the race from -race. ", el("b", {}, "Click the arrow"), " to break it, or press ", el("kbd", {}, "b"), "."];
		} else if (chain.length > 0) {
			return ["In the recorded run, ", ...chain, "."];
		} else if (race.recorded) {
			return ["The two accesses in the recorded run, in the order in which they came. Nothing orders them."];
		}
		return ["A schedule at whose end the two accesses meet, and nothing orders them."];
	}

	toggle() {
		if (!this.breakable) {
			return;
		}
		this.broken = !this.broken;
		this.draw();
		const button = this.boards.querySelector(".break");
		if (button && document.activeElement === document.body) {
			button.focus({ preventScroll: true });
		}
	}

	// print shows both orders on paper.
	print(on) {
		if (on && this.breakable && !this.broken) {
			this.toggle();
			this.unprint = true;
		} else if (!on && this.unprint) {
			this.toggle();
			this.unprint = false;
			return;
		}
		this.all.forEach((board) => {
			board.layout();
			board.print(on);
		});
	}

	step(by) {
		this.stop();
		this.go(this.live.at + by);
	}

	go(row) {
		row = Math.max(0, Math.min(this.live.rows.length - 1, row));
		this.live.go(row);
		this.slider.value = row;
		this.number.textContent = (row + 1).toLocaleString("en") + " of " + this.live.rows.length.toLocaleString("en");
		const steps = this.live.rows[row] || [];
		this.slider.setAttribute("aria-valuetext", "step " + this.number.textContent + ": " + steps.map((step) => nameOf(this.race, step.goroutine) + " " + step.text).join(", and "));
		this.inspector.replaceChildren(...steps.map((step) => this.about(step)));
	}

	// about is all that the report has of a step.
	about(step) {
		const place = frame(step.at), read = readsOf(this.race).get(step.event);
		const side = (this.race.lanes || []).find((lane) => lane.id === step.goroutine)?.side || "other";
		const from = read && read.from && stepOf(read.from);
		const more = [
			step.event >= 0 ? "event " + step.event.toLocaleString("en") + " of the recorded run" : "not in the recorded run",
			step.held && "holds " + step.held,
			read && "sees " + read.sees + (from ? ", from " + nameOf(this.race, from.goroutine) + (frame(from.at).short ? " at " + frame(from.at).short : "") : ""),
		];
		return el("div", { class: "step " + side },
			el("p", {}, el("b", { class: "who" }, nameOf(this.race, step.goroutine)), " ", step.text, place.short && [" at ", el("span", { class: "file", title: place.func }, place.full)]),
			el("div", { class: "detail" }, el("code", {}, step.source), el("span", { class: "more" }, more.filter(Boolean).join(" · "))));
	}

	// play goes through the steps, one after the other.
	play() {
		if (this.timer) {
			this.stop();
			return;
		}
		if (this.live.at === this.live.rows.length - 1) {
			this.go(0);
		}
		this.player.textContent = "stop";
		this.timer = setInterval(() => {
			this.go(this.live.at + 1);
			if (this.live.at === this.live.rows.length - 1) {
				this.stop();
			}
		}, 700);
	}

	stop() {
		clearInterval(this.timer);
		this.timer = null;
		this.player.textContent = "play";
	}
}
