/** Draws a tree of calls as a flame graph: one SVG file that a browser shows, and zooms at a click. */
import type { Frame } from './frames.ts';

const WIDTH = 1_600;
const ROW = 17;
const MARGIN = 34;
/** Narrower calls are left out: nobody could see them, and there are very many. */
const SMALLEST_WIDTH = 0.4;
const LETTER = 6.1;

const COLOURS = { own: '#f0a35e', dependency: '#8fbf7f', node: '#8fb3dc', engine: '#bdbdbd' };

/** How much a call took, in words. */
export type Shown = (amount: number) => string;

/** The wider a call, the more it took, its callees below it. `title` stands above. */
export function flameGraph(tree: Frame, title: string, shown: Shown): string {
  const boxes: string[] = [];
  const rows = draw(tree, { boxes, scale: WIDTH / Math.max(1, tree.total), tree, shown });
  const height = MARGIN + rows * ROW + ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"`,
    ` viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="8" y="20" font-size="14">${escaped(title)}</text>`,
    ...boxes,
    `<script><![CDATA[${ZOOM}]]></script>`,
    '</svg>',
    '',
  ].join('\n');
}

interface Drawing {
  readonly boxes: string[];
  readonly shown: Shown;
  /** Width of a unit. */
  readonly scale: number;
  /** The whole, which shares are told of. */
  readonly tree: Frame;
}

/** Answers how many rows were drawn. */
function draw(frame: Frame, drawing: Drawing, x = 0, depth = 0): number {
  const { boxes, scale, tree, shown } = drawing;
  const width = frame.total * scale;
  if (width < SMALLEST_WIDTH) return depth;
  const { name } = frame;
  const share = ((100 * frame.total) / Math.max(1, tree.total)).toFixed(1);
  const told = `${name}: ${share}%, ${shown(frame.total)}, itself ${shown(frame.self)}`;
  const y = MARGIN + depth * ROW;
  boxes.push(
    `<g data-x="${x.toFixed(2)}" data-w="${width.toFixed(2)}" data-name="${escaped(name)}">` +
      `<title>${escaped(told)}</title>` +
      `<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW - 1}" fill="${colourOf(name)}"/>` +
      `<text x="${(x + 3).toFixed(2)}" y="${y + 12}">${escaped(fitting(name, width))}</text></g>`,
  );
  let rows = depth + 1;
  let childX = x;
  for (const child of frame.children) {
    rows = Math.max(rows, draw(child, drawing, childX, depth + 1));
    childX += child.total * scale;
  }
  return rows;
}

function fitting(name: string, width: number): string {
  const letters = Math.floor((width - 6) / LETTER);
  return letters < 3 ? '' : name.slice(0, letters);
}

function colourOf(name: string): string {
  if (/ node:/.test(name)) return COLOURS.node;
  if (/ (core|event-stores|projections|http-host)\/src\//.test(name)) return COLOURS.own;
  return name.includes(' ') && name.includes('/') ? COLOURS.dependency : COLOURS.engine;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}

/** A click makes a call as wide as the picture; a click on the topmost shows all again. */
const ZOOM = `
  const boxes = [...document.querySelectorAll('g')];
  const zoom = (to) => {
    const left = Number(to.dataset.x);
    const scale = ${WIDTH} / Number(to.dataset.w);
    for (const box of boxes) {
      const from = Math.max(0, (Number(box.dataset.x) - left) * scale);
      const end = Math.min(${WIDTH}, (Number(box.dataset.x) + Number(box.dataset.w) - left) * scale);
      const width = end - from;
      box.style.display = width < ${SMALLEST_WIDTH} ? 'none' : '';
      if (width < ${SMALLEST_WIDTH}) continue;
      const [rect, text] = [box.querySelector('rect'), box.querySelector('text')];
      rect.setAttribute('x', from);
      rect.setAttribute('width', width);
      text.setAttribute('x', from + 3);
      const letters = Math.floor((width - 6) / ${LETTER});
      text.textContent = letters < 3 ? '' : box.dataset.name.slice(0, letters);
    }
  };
  for (const box of boxes) box.addEventListener('click', () => zoom(box));
`;
