import { describe, expect, it } from 'vitest';
import { flameGraph } from './flame-graph.ts';
import type { Frame } from './frames.ts';

const ms = (us: number) => `${(us / 1_000).toFixed(1)} ms`;

function frame(name: string, self: number, children: readonly Frame[] = []): Frame {
  const total = children.reduce((sum, child) => sum + child.total, self);
  return { name, self, total, children };
}

const LEFT = frame('decide core/src/x.ts:1', 300);
const RIGHT = frame('write node:net:2', 100);
const TREE = frame('main thread', 0, [LEFT, RIGHT]);

/** Left edge and width of a call's box. */
function boxOf(svg: string, name: string): [number, number] {
  const found = new RegExp(`data-x="([\\d.]+)" data-w="([\\d.]+)" data-name="${name}"`).exec(svg);
  return [Number(found?.[1]), Number(found?.[2])];
}

describe('a flame graph', () => {
  const svg = flameGraph(TREE, 'payment <1>', ms);

  it('makes calls as wide as they took long, side by side', () => {
    expect(boxOf(svg, TREE.name)).toEqual([0, 1_600]);
    expect(boxOf(svg, LEFT.name)).toEqual([0, 1_200]);
    expect(boxOf(svg, RIGHT.name)).toEqual([1_200, 400]);
  });

  it('tells share and time of each', () => {
    expect(svg).toContain('<title>decide core/src/x.ts:1: 75.0%, 0.3 ms, itself 0.3 ms</title>');
  });

  it('is well-formed whatever calls are named', () => {
    expect(svg).toContain('payment &lt;1&gt;</text>');
    const odd = flameGraph(frame('a<b> & "c"', 10), '', ms);
    expect(odd).toContain('data-name="a&lt;b&gt; &amp; &quot;c&quot;"');
  });

  it('leaves out what nobody could see', () => {
    const tiny = frame('tiny', 1);
    const drawn = flameGraph(frame('whole', 1_000_000, [tiny, LEFT]), '', ms);
    expect(drawn).not.toContain('"tiny"');
    expect(drawn).toContain(`"${LEFT.name}"`);
  });
});
