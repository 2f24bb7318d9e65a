// The page: which view is shown, the keys, and light or dark.

class App {
	constructor(root) {
		this.root = root;
		this.bar = el("div", { class: "bar" }, el("a", { href: "#", class: "brand" }, "presage"),
			el("span", { class: "spring" }),
			this.themes = el("button", { type: "button", class: "quiet", onclick: () => this.theme(true) }),
			el("button", { type: "button", class: "quiet", "aria-label": "Keys (?)", onclick: () => this.help.showModal() }, "keys"));
		this.help = this.keys();
		this.list = new ListView(this);
		this.theme(false);
		addEventListener("hashchange", () => this.route());
		addEventListener("keydown", (event) => this.key(event));
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
		this.route();
	}

	shown() {
		return this.list.matches;
	}

	open(finding) {
		location.hash = encodeURIComponent(finding.key);
	}

	// move goes to another finding of those that the table shows.
	move(by) {
		const list = this.shown();
		const next = list[list.indexOf(this.finding?.finding) + by];
		if (next) {
			this.open(next);
		}
	}

	// route shows what the address names.
	route() {
		let key = location.hash.slice(1);
		try {
			key = decodeURIComponent(key);
		} catch {
			// it is no text: no finding has it
		}
		const finding = findings.find((finding) => finding.key === key || finding.races.some((race) => race.id !== "" && race.id === key));
		this.finding?.picture?.stop();
		const before = this.finding?.finding;
		this.finding = finding ? new FindingView(finding, this) : null;
		this.root.replaceChildren(this.bar, this.finding ? this.finding.element : this.list.element, this.help);
		document.title = "presage: " + (finding ? finding.first.name : data.title);
		if (finding) {
			this.list.selected = finding;
			const race = finding.races.findIndex((race) => race.id === key);
			if (race > 0) {
				this.finding.choose(race);
			}
			scrollTo(0, 0);
			this.finding.title.focus({ preventScroll: true });
		} else if (this.searching) {
			this.searching = false;
			this.list.search.focus();
			this.list.search.select();
		} else if (before) {
			this.list.select(before)?.querySelector("a").focus();
		}
	}

	key(event) {
		const { key, target } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
			return;
		} else if (this.help.open) {
			if (key === "Escape") {
				this.help.close();
			}
			return;
		}
		const typing = target.closest("input, select, textarea");
		if (typing && typing.type !== "range") {
			if (key === "Escape") {
				this.list.search.value = "";
				this.list.filter();
				target.blur();
			}
			return;
		}
		if (this.press(key, target)) {
			event.preventDefault();
		}
	}

	// press does what a key stands for, and reports whether it stands for something.
	press(key, target) {
		if (key === "?") {
			this.help.showModal();
		} else if (key === "/") {
			if (this.finding) {
				this.searching = true;
				location.hash = "";
			}
			this.list.search.focus();
			this.list.search.select();
		} else if (key === "Escape" && this.finding) {
			location.hash = "";
		} else if (this.finding && (key === "j" || key === "k")) {
			this.move(key === "j" ? 1 : -1);
		} else if (key === "Enter" && target.closest("a, button, summary")) {
			return false;
		} else {
			return (this.finding || this.list).key(key);
		}
		return true;
	}

	keys() {
		const rows = [
			["/", "search the findings"], ["j  k", "next and previous finding"], ["Enter", "open the finding"], ["← →  ↑ ↓", "previous and next step"],
			["Home  End", "first and last step"], ["b", "break the order that hides the race, or restore it"], ["p", "play the steps"], ["[  ]", "previous and next race of a finding"], ["Esc", "back to the table"], ["?", "these keys"],
		];
		const dialog = el("dialog", { "aria-label": "Keys" }, el("h2", {}, "Keys"),
			el("table", {}, rows.map(([key, what]) => el("tr", {}, el("td", {}, key.split("  ").map((k) => [el("kbd", {}, k), " "]).flat()), el("td", {}, what)))),
			el("button", { type: "button", onclick: () => dialog.close() }, "close"));
		return dialog;
	}

	// theme shows the page as the system has it, light, or dark; next goes to the next of the three.
	theme(next) {
		const all = ["auto", "light", "dark"];
		let now = "auto";
		try {
			now = localStorage.getItem("presage-theme") || now;
		} catch {
			now = document.documentElement.dataset.theme || now; // a browser that keeps nothing for a file
		}
		if (next) {
			now = all[(all.indexOf(now) + 1) % all.length];
			try {
				localStorage.setItem("presage-theme", now);
			} catch {
				// it is not kept
			}
		}
		document.documentElement.dataset.theme = now;
		this.themes.textContent = "theme: " + now;
		this.themes.setAttribute("aria-label", "Colours: " + now);
	}

	print(on) {
		this.list.more(Infinity);
		this.finding?.picture?.print(on);
	}
}

new App(document.getElementById("app"));
