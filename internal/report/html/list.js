// The view of all findings: a table with search and filters.

const fewRows = 60; // that are drawn at once; the others follow while the page is in use

// outcome has the last lines of the text form.
const outcome = data.outcome.replace(/^presage: /gm, "").split("\n");

// below is a package without the path that all packages of the report have in common.
const below = (() => {
	const all = [...new Set(findings.flatMap((finding) => [...finding.packages]))];
	let common = all.length > 1 ? all[0].slice(0, all[0].lastIndexOf("/") + 1) : "";
	while (!all.every((name) => name.startsWith(common))) {
		common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
	}
	return (name) => name.slice(common.length);
})();

class ListView {
	constructor(app) {
		this.app = app;
		this.off = new Set(); // tiers that are not shown
		this.selected = null;
		this.search = el("input", { type: "search", class: "search", placeholder: "search: variable, file, test, function, ID", "aria-label": "Search the findings (/)", oninput: () => this.filter() });
		this.packages = this.choice("package", "packages");
		this.files = this.choice("file", "files");
		this.status = el("p", { class: "status", role: "status" });
		this.body = el("tbody");
		this.element = el("main", { class: "list" },
			el("header", { class: "top" }, el("h1", { tabindex: "-1" }, data.title), el("p", { class: "outcome" }, outcome[outcome.length - 1]), el("p", { class: "facts" }, data.about)),
			findings.length > 0 && el("div", { class: "filters" }, this.search, this.tiers(), this.packages, this.files),
			findings.length > 0 && this.status, findings.length > 0 && this.table(),
			this.notes("What the result does not cover", data.warnings), this.notes("The run", outcome.slice(0, -1)), this.guards());
		this.filter();
	}

	// choice is a menu of what some findings have.
	choice(one, many) {
		const all = [...new Set(findings.flatMap((finding) => [...finding[many]]))].filter(Boolean).sort();
		const menu = el("select", { "aria-label": "Show findings of one " + one, onchange: () => this.filter() },
			el("option", { value: "" }, "all " + many), all.map((name, i) => el("option", { value: String(i + 1) }, name)));
		menu.chosen = () => all[Number(menu.value) - 1];
		menu.hidden = all.length < 2;
		return menu;
	}

	// tiers are switches, one for each tier that the report has.
	tiers() {
		const order = Object.keys(tiers);
		const all = [...new Set(findings.flatMap((finding) => [...finding.tiers]))].sort((a, b) => order.indexOf(a) - order.indexOf(b));
		return el("div", { class: "tiers", role: "group", "aria-label": "Show findings by proof" }, all.map((tier) => {
			const n = findings.filter((finding) => finding.first.tier === tier).length;
			const button = el("button", { type: "button", class: "tier " + tier, title: tiers[tier], "aria-pressed": "true" }, tier, " ", el("b", {}, String(n)));
			button.addEventListener("click", () => {
				const on = this.off.delete(tier);
				if (!on) {
					this.off.add(tier);
				}
				button.setAttribute("aria-pressed", String(on));
				this.filter();
			});
			return n > 0 && button;
		}));
	}

	table() {
		return el("table", { class: "findings" },
			el("thead", {}, el("tr", {}, ["proof", "variable", "one access", "other access", "test", "pairs"].map((name) => el("th", { scope: "col" }, name)))), this.body);
	}

	// filter shows the findings that have all words of the search and pass the filters.
	filter() {
		const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
		const name = this.packages.chosen(), file = this.files.chosen();
		this.matches = findings.filter((finding) => !this.off.has(finding.first.tier) && words.every((word) => finding.words.includes(word)) &&
			(!name || finding.packages.has(name)) && (!file || finding.files.has(file)));
		this.status.textContent = this.matches.length === findings.length ? "" : count(this.matches.length, "finding") + " of " + findings.length.toLocaleString("en");
		this.draw();
	}

	draw() {
		clearTimeout(this.drawing);
		this.rows = [];
		this.body.replaceChildren();
		this.more(fewRows);
		this.select(this.selected);
	}

	// more draws n more rows now, and the others later.
	more(n) {
		clearTimeout(this.drawing);
		const rows = this.matches.slice(this.rows.length, this.rows.length + n).map((finding) => this.row(finding));
		this.rows.push(...rows);
		this.body.append(...rows);
		if (this.rows.length < this.matches.length) {
			this.drawing = setTimeout(() => this.more(4 * fewRows));
		}
	}

	row(finding) {
		const { first, races, key } = finding;
		const access = (a) => el("td", { class: "one" }, el("span", { class: "main" }, el("span", { class: "kind" }, a.kind), " ", el("span", { class: "file", title: frame(a.at).full }, frame(a.at).short)), el("code", { title: a.source }, a.source || a.what));
		const row = el("tr", {},
			el("td", { class: "one" }, el("span", { class: "tier " + first.tier, title: tiers[first.tier] }, first.tier), first.proof !== first.tier && el("span", { class: "proof", title: tiers[first.proof] }, first.proof)),
			el("td", { class: "one" }, el("a", { class: "main", href: "#" + encodeURIComponent(key), title: first.name }, first.name), el("span", { class: "package", title: first.package }, below(first.package))),
			access(first.a), access(first.b),
			el("td", { class: "one test", title: first.test }, first.test), el("td", { class: "number" }, String(races.length)));
		row.addEventListener("click", (event) => {
			if (!getSelection().toString() && !event.target.closest("a")) {
				this.app.open(finding);
			}
		});
		return row;
	}

	// select marks a finding of the table.
	select(finding) {
		const i = this.matches.indexOf(finding);
		this.more(i + 1 - this.rows.length);
		this.rows[this.matches.indexOf(this.selected)]?.classList.remove("selected");
		this.selected = finding;
		const row = this.rows[i];
		row?.classList.add("selected");
		row?.scrollIntoView({ block: "nearest" });
		return row;
	}

	notes(title, lines) {
		return lines.length > 0 && el("section", { class: "notes" }, el("h2", {}, title), el("ul", {}, lines.map((line) => el("li", {}, line))));
	}

	guards() {
		return data.guards && data.guards.length > 0 && el("section", { class: "notes" }, el("h2", {}, "Suggestions"), data.guards.map((guard) => el("pre", {}, guard)));
	}

	key(key) {
		const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
		if (by) {
			const i = this.matches.indexOf(this.selected);
			const next = this.matches[Math.max(0, Math.min(this.matches.length - 1, i + by))];
			this.select(next)?.querySelector("a").focus({ preventScroll: true });
			return true;
		}
		if (key === "Enter" && this.selected) {
			this.app.open(this.selected);
			return true;
		}
		return false;
	}
}
