// Shows a stretch of a text exactly as it is and tells which words are selected, counted in code points.
export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".text");
  host.__fire = setTriggerValue;
  host.__data = data;
  if (host.__text !== data.text) {
    host.__text = data.text;
    host.textContent = data.text;
  }
  host.setAttribute("aria-label", data.label);
  const button = parentElement.querySelector("button");
  button.textContent = data.button;
  if (host.__listens) return;
  host.__listens = true;
  const points = (text) => Array.from(text).length;
  function chosen() {
    const root = host.getRootNode();
    const selection = root.getSelection ? root.getSelection() : document.getSelection();
    if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!host.contains(range.startContainer) || !host.contains(range.endContainer)) return null;
    const before = document.createRange();
    before.selectNodeContents(host);
    before.setEnd(range.startContainer, range.startOffset);
    const text = range.toString();
    const start = points(before.toString());
    return { start: host.__data.start + start, end: host.__data.start + start + points(text) };
  }
  // A press on the button would drop the selection in some browsers, so it is remembered when it ends.
  const keep = () => { const found = chosen(); if (found) host.__chosen = found; };
  host.addEventListener("pointerup", () => setTimeout(keep, 0));
  host.addEventListener("keyup", keep);
  button.addEventListener("pointerdown", keep);
  button.addEventListener("click", () => { keep(); if (host.__chosen) host.__fire("pick", { ...host.__chosen, n: Date.now() }); });
}
