// A board draws steps as cards in lanes, one lane for each goroutine, time going down. All rows are
// of one height, so the place of a card follows from its number, and only those in view are made.

const rowHeight = 58, margin = 12, leastLane = 170, narrowLane = 120;
const gutters = [72, 28]; // between lanes: for a button or a race, and for an arrow

class Board {
	// rows are lists of steps that are side by side. With more goroutines than mostLanes, the last
	// lane is of several. A click on a row calls pick.
	constructor({ race, rows, label, mostLanes, pick }) {
		Object.assign(this, { race, rows, pick, reads: readsOf(race), made: new Map(), at: rows.length - 1, arrows: [] });
		this.accesses = new Set([race.a.event, race.b.event]);
		this.lanes = race.lanes.slice();
		if (this.lanes.length > mostLanes) {
			const others = this.lanes.splice(mostLanes - 1);
			this.lanes.push({ id: null, name: count(others.length, "other goroutine") });
		}
		this.heads = el("div", { class: "heads" });
		this.canvas = el("div", { class: "canvas" });
		this.scroller = el("div", { class: "scroller", tabindex: "-1" }, this.heads, this.canvas);
		this.element = el("section", { class: "board", "aria-label": label }, el("h3", {}, label), this.scroller);
		this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
		new ResizeObserver(() => this.layout()).observe(this.scroller);
	}

	laneOf(step) {
		const i = this.lanes.findIndex((lane) => lane.id === step.goroutine);
		return i < 0 ? this.lanes.length - 1 : i;
	}

	// orders gives the board its arrows.
	orders(arrows) {
		this.arrows = arrows;
	}

	// reveal shows the arrows rather than the current row, as long as that does not change.
	reveal() {
		const rows = this.arrows.flatMap((arrow) => [this.rowOf(arrow.from.event), this.rowOf(arrow.to.event)]);
		if (rows.length > 0) {
			this.revealed = [Math.min(...rows), Math.max(...rows)];
			this.show();
		}
	}

	rowOf(event) {
		return this.rows.findIndex((steps) => steps.some((step) => step.event === event));
	}

	// gap is the room on the right of a lane: more where there is a button.
	gap(i) {
		const button = (arrow) => arrow.button && this.gutterOf(arrow) === i;
		return i === 0 || this.arrows.some(button) ? gutters[0] : gutters[1];
	}

	// gutterOf is the number of the lane on whose right an arrow goes down.
	gutterOf({ from, to }) {
		const i = this.laneOf(from);
		return this.laneOf(to) >= i ? i : i - 1;
	}

	// layout places everything anew, for the width that there is.
	layout() {
		const n = this.lanes.length;
		const width = this.scroller.clientWidth;
		if (width === 0) {
			return; // not shown
		}
		const gaps = this.lanes.slice(1).reduce((sum, _, i) => sum + this.gap(i), 0);
		const inView = Math.floor((width - 2 * margin - gaps) / Math.min(n, 3));
		const least = Math.max(narrowLane, Math.min(leastLane, inView));
		this.lane = Math.max(least, Math.floor((width - 2 * margin - gaps) / n));
		this.element.classList.toggle("narrow", this.lane < 230);
		const full = 2 * margin + n * this.lane + gaps;
		for (const box of [this.heads, this.canvas]) {
			box.style.width = full + "px";
		}
		this.canvas.style.height = this.rows.length * rowHeight + 8 + "px";
		this.heads.replaceChildren(...this.lanes.map((lane, i) => this.head(lane, i)));
		this.canvas.replaceChildren(...this.lanes.map((lane, i) => this.line(lane, i)), ...this.arrows.map((arrow) => this.arrow(arrow)));
		this.made.clear();
		this.draw();
		this.show();
	}

	left(i) {
		let x = margin;
		for (let k = 0; k < i; k++) {
			x += this.lane + this.gap(k);
		}
		return x;
	}

	head(lane, i) {
		const head = el("div", { class: "head " + (lane.side || "other"), title: lane.name }, lane.name);
		head.style.left = this.left(i) + "px";
		head.style.width = this.lane + "px";
		return head;
	}

	line(lane, i) {
		const line = el("div", { class: "line " + (lane.side || "other") });
		line.style.left = this.left(i) + this.lane / 2 + "px";
		return line;
	}

	// draw makes the rows in view, and drops the others.
	draw() {
		const from = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 8);
		const to = this.all ? this.rows.length : Math.min(this.rows.length, from + Math.ceil(this.scroller.clientHeight / rowHeight) + 16);
		for (const [row, elements] of this.made) {
			if (row < from || row >= to) {
				elements.forEach((element) => element.remove());
				this.made.delete(row);
			}
		}
		for (let row = this.all ? 0 : from; row < to; row++) {
			if (!this.made.has(row)) {
				const elements = this.row(row);
				this.canvas.append(...elements);
				this.made.set(row, elements);
			}
		}
		this.mark();
	}

	row(row) {
		const steps = this.rows[row];
		const elements = steps.map((step) => this.card(step, row));
		if (steps.length === 2 && this.laneOf(steps[0]) !== this.laneOf(steps[1])) {
			const [i, j] = steps.map((step) => this.laneOf(step)).sort((a, b) => a - b);
			const meet = el("div", { class: "meet" }, el("span", {}, "race"));
			meet.style.left = this.left(i) + this.lane + "px";
			meet.style.width = this.left(j) - this.left(i) - this.lane + "px";
			meet.style.top = row * rowHeight + "px";
			elements.push(meet);
		}
		return elements;
	}

	card(step, row) {
		const i = this.laneOf(step), lane = this.lanes[i];
		const access = this.accesses.has(step.event);
		const read = this.reads.get(step.event);
		const place = frame(step.at);
		const next = this.rows[row + 1], before = this.rows[row - 1];
		const same = (steps) => steps && steps.length === 1 && steps[0].goroutine === step.goroutine && this.rows[row].length === 1;
		const name = ["card", lane.side || "other", access && "access", step.off && "off", same(before) && "joined-above", same(next) && "joined-below"];
		const card = el("div", { class: name.filter(Boolean).join(" "), title: step.text + (place.short ? " at " + place.full : "") },
			el("div", { class: "what" },
				el("span", { class: "operation " + step.operation.split(" ").pop() }, step.operation || "step", step.times > 1 && " ×" + step.times),
				lane.id === null && el("span", { class: "chip who", title: "goroutine " + step.goroutine }, "g" + step.goroutine),
				read && el("span", { class: "chip value" }, "sees " + read.sees),
				step.held && el("span", { class: "chip held" }, "holds " + step.held),
				step.off && el("span", { class: "chip" }, "off path"),
				el("span", { class: "place" }, el("span", { class: "base" }, place.base), place.line > 0 && ":" + place.line)),
			el("code", {}, step.source || step.text));
		card.style.left = this.left(i) + "px";
		card.style.width = this.lane + "px";
		card.style.top = row * rowHeight + "px";
		card.addEventListener("click", () => this.pick(row));
		return card;
	}

	// arrow draws an order: out of the card of one step, down between the lanes, into the card of the
	// other. In the rows of its ends there is no other card in the way.
	arrow(arrow) {
		const { from, to, broken, button } = arrow;
		const [r1, r2] = [this.rowOf(from.event), this.rowOf(to.event)];
		const [i, j] = [this.laneOf(from), this.laneOf(to)];
		const right = j >= i;
		const out = this.left(i) + (right ? this.lane : 0), into = this.left(j) + (right && i !== j ? 0 : this.lane);
		const x = out + (right ? 1 : -1) * this.gap(this.gutterOf(arrow)) / 2;
		const [y1, y2] = [r1, r2].map((row) => row * rowHeight + rowHeight / 2);
		const bend = 12, side = right ? 1 : -1, end = Math.sign(into - x) || 1;
		const path = `M${out} ${y1} H${x - side * bend} Q${x} ${y1} ${x} ${y1 + bend} V${y2 - bend} Q${x} ${y2} ${x + end * bend} ${y2} H${into - end * 7}`;
		const drawing = svg("svg", { class: "arrow" + (broken ? " broken" : ""), width: this.canvas.style.width.replace("px", ""), height: this.rows.length * rowHeight, "aria-hidden": "true" },
			svg("path", { class: "near", d: path }), // wide enough to hit
			svg("path", { d: path }),
			svg("path", { class: "tip", d: `M${into - end * 8} ${y2 - 5} L${into} ${y2} L${into - end * 8} ${y2 + 5} Z` }));
		const group = el("div", { class: "order" }, drawing);
		if (button) {
			button.style.left = x + "px";
			button.style.top = Math.min((y1 + y2) / 2, y1 + 2.5 * rowHeight) + "px"; // in view with its begin
			drawing.addEventListener("click", () => button.click());
			group.append(button);
		}
		return group;
	}

	// go makes a row the current one. Those after it are not yet executed.
	go(row) {
		this.at = row;
		this.revealed = null;
		this.mark();
		this.show();
	}

	mark() {
		for (const [row, elements] of this.made) {
			for (const element of elements) {
				element.classList.toggle("future", row > this.at);
				element.classList.toggle("current", row === this.at);
			}
		}
	}

	// show scrolls the current row into view, or what is revealed.
	show() {
		const s = this.scroller, room = s.clientHeight - this.heads.offsetHeight;
		if (this.revealed) {
			const [from, to] = this.revealed;
			s.scrollTop = Math.max((from - 1) * rowHeight, Math.min(this.rows.length, to + 2) * rowHeight - room) + 8;
			if ((to - from + 3) * rowHeight > room) {
				s.scrollTop = (from - 1) * rowHeight;
			}
			return;
		}
		const top = this.at * rowHeight, bottom = top + rowHeight + 8;
		if (this.at >= this.rows.length || room <= 0) {
			return; // no row is the current one
		} else if (top < s.scrollTop) {
			s.scrollTop = top - rowHeight;
		} else if (bottom > s.scrollTop + room) {
			s.scrollTop = bottom - room + (this.at < this.rows.length - 1 ? rowHeight : 0);
		}
	}

	// print makes all rows, if there are not too many, as wide as paper is, and back.
	print(on) {
		this.all = on && this.rows.length <= 1000;
		this.scroller.style.zoom = on ? Math.min(1, 680 / this.canvas.offsetWidth) : "";
		this.draw();
	}
}
