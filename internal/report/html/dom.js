// Elements. All text of the report becomes text nodes or attributes that are no code; the policy of
// the page refuses markup made of text.

// el makes an element of attributes and children. An attribute on… is a listener; one that is
// false, null or undefined is left out, as is such a child.
function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

// svg makes an element of a drawing.
function svg(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
	const absent = (x) => x === false || x === null || x === undefined;
	for (const [name, value] of Object.entries(attributes || {})) {
		if (absent(value)) {
			continue;
		} else if (name.startsWith("on")) {
			element.addEventListener(name.slice(2), value);
		} else {
			element.setAttribute(name, value === true ? "" : value);
		}
	}
	element.append(...children.flat(Infinity).filter((child) => !absent(child)));
	return element;
}

// count is a number with its noun, as the text form has it.
function count(n, one, many) {
	return n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s");
}

// copyButton copies a text to the clipboard, or selects it where that is not allowed.
function copyButton(text, shown) {
	const button = el("button", { type: "button", class: "quiet copy", "aria-label": "Copy: " + text }, "copy");
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = "copied";
			setTimeout(() => { button.textContent = "copy"; }, 1500);
		} catch {
			getSelection().selectAllChildren(shown);
		}
	});
	return button;
}
