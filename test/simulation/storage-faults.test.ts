/** exploration */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { it } from 'vitest';
import { copyOf, hear, makeTruth, openHost, removeFolder, settled } from './storage-faults-truth.ts';

it('explore', async () => {
  const truth = await makeTruth();
  const files = readdirSync(truth.folder).filter((n) => /\.db(-[a-z]+-\d+)?$/.test(n));
  console.log(files.map((f) => `${f} ${statSync(join(truth.folder, f)).size}`).join('\n'), truth.questions.length);
  const runs = Number(process.env['RUNS'] ?? '20');
  const only = process.env['ONLY'];
  const tally: Record<string, number> = {};
  for (const [file, at, kind, bit] of fc.sample(fc.tuple(fc.constantFrom(...files.filter((f) => !only || f.includes(only))), fc.double({min:0,max:1,noNaN:true}), fc.constantFrom('flip','flip','zero','swap','cut'), fc.nat(7)), {numRuns: runs, seed: Number(process.env['FC_SEED'])})) {
    const folder = copyOf(truth);
    const path = join(folder, file);
    let bytes = readFileSync(path);
    const offset = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
    const page = offset - (offset % 4096);
    if (kind === 'flip') bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    if (kind === 'zero') bytes.fill(0, page, page + 4096);
    if (kind === 'swap') bytes.copyWithin(page, 4096, 8192);
    if (kind === 'cut') bytes = bytes.subarray(0, offset);
    writeFileSync(path, bytes);
    const label = `${file} ${kind} @${offset}.${bit}`;
    let verdict = '';
    try {
      const opened = await openHost(folder);
      try {
        await settled(opened);
        const heard = await hear(opened.url, truth);
        verdict = heard.wrong.length > 0 ? `WRONG ${heard.wrong[0]?.slice(0, 300)}` : heard.refused.length > 0 ? `refused ${heard.refused.length} ${heard.refused[0]} :: ${opened.logs.find((l) => /"level":(50|60|40)/.test(l))?.slice(0, 200)}` : 'same';
      } catch (e) { verdict = `ASK ${(e as Error).message.slice(0, 300)}`; }
      await Promise.race([opened.host.close(), new Promise((_, r) => setTimeout(() => r(new Error('close hangs')), 20000))]).catch((e) => { verdict += ` CLOSE ${e.message}`; });
    } catch (e) { verdict = `start refused: ${(e as Error).name} ${(e as Error).message.slice(0, 250)}`; }
    const k = `${file.split('-')[0]} ${verdict.split(' ')[0]}`; tally[k] = (tally[k] ?? 0) + 1;
    if (verdict !== 'same') console.log(label, '=>', verdict);
    removeFolder(folder);
  }
  console.log(tally);
}, 600_000);
