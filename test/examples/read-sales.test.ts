/** Reads well-formed and broken sales files: what is wrong with a line is said of that line alone. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { NotASalesFile, openSales, readSales } from '@counterfoil/demo';
import { describe, expect, it } from 'vitest';
import { chunks, collect, HEADER, read } from './sale-records.ts';

const GOOD = '536365,85123A,"HEART, ""WHITE""",6,01/12/2010 08:26,2.55,17850,United Kingdom';

const NO_DATE = 'InvoiceDate is not a date of 2000 to 2099:';

describe('a line', () => {
  it('becomes a sale with exact pence and a date in GMT', async () => {
    expect(await read(GOOD)).toEqual([
      {
        kind: 'sale-line',
        line: 2,
        invoice: '536365',
        invoiceKind: 'sale',
        invoiceNumber: 536365,
        stockCode: '85123A',
        description: 'HEART, "WHITE"',
        quantity: 6,
        at: '2010-12-01T08:26:00.000Z',
        unitPriceMinor: 255n,
        amountMinor: 1530n,
        customerId: 17850,
        country: 'United Kingdom',
        text: GOOD,
      },
    ]);
  });

  it('may have no customer and no description, and be a cancellation or a write-off', async () => {
    expect(
      await read(
        'C536379,D,,-1,01/12/2010 09:41,27.5,,France',
        'A563185,B,Adjust bad debt,1,12/08/2011 14:50,-11062.06,,United Kingdom',
      ),
    ).toMatchObject([
      {
        invoiceKind: 'cancellation',
        invoiceNumber: 536379,
        amountMinor: -2750n,
        customerId: null,
        description: '',
      },
      { invoiceKind: 'bad-debt', invoice: 'A563185', amountMinor: -1_106_206n },
    ]);
  });

  it.each([
    ['', 'the line is empty'],
    ['536365,85123A,HEART,6', '4 fields instead of 8'],
    [`${GOOD},more`, '9 fields instead of 8'],
    ['536365,1,"open,6,01/12/2010 08:26,2.55,1,France', /^Quote Not Closed/],
    ['536365,1,st"ray,6,01/12/2010 08:26,2.55,1,France', /^Invalid Opening Quote/],
    ['536365,1,A,six,01/12/2010 08:26,2.55,1,France', 'Quantity is not a whole number: six'],
    ['536365,1,A,1.5,01/12/2010 08:26,2.55,1,France', 'Quantity is not a whole number: 1.5'],
    ['536365,1,A,0,01/12/2010 08:26,2.55,1,France', 'Quantity is zero'],
    ['536365,1,A,6,01/12/2010 08:26,,1,France', 'UnitPrice is not an amount: '],
    ['536365,1,A,6,01/12/2010 08:26,1e3,1,France', 'UnitPrice is not an amount: 1e3'],
    [
      '536365,1,A,6,01/12/2010 08:26,0.001,1,France',
      'UnitPrice is not a whole number of pence: 0.001',
    ],
    [
      '536365,1,A,999999999,01/12/2010 08:26,999999999.99,1,France',
      'the amount of the line is too large: 99999999899000000001 pence',
    ],
  ])('%s is malformed, without an amount', async (text, problem) => {
    const problemText = typeof problem === 'string' ? problem : expect.stringMatching(problem);
    expect(await read(GOOD, text, GOOD)).toMatchObject([
      { kind: 'sale-line', line: 2 },
      { kind: 'malformed', line: 3, text, problem: problemText, quantity: null, amountMinor: null },
      { kind: 'sale-line', line: 4 },
    ]);
  });

  it.each([
    ['X536365,1,A,6,01/12/2010 08:26,2.55,1,France', 'InvoiceNo is not of a known form: X536365'],
    ['0536365,1,A,6,01/12/2010 08:26,2.55,1,France', 'InvoiceNo is not of a known form: 0536365'],
    ['536365, ,A,6,01/12/2010 08:26,2.55,1,France', 'no StockCode'],
    ['536365,1,A,6,31/02/2010 08:26,2.55,1,France', `${NO_DATE} 31/02/2010 08:26`],
    ['536365,1,A,6,2010-12-01 08:26,2.55,1,France', `${NO_DATE} 2010-12-01 08:26`],
    ['536365,1,A,6,01/12/2010 24:00,2.55,1,France', `${NO_DATE} 01/12/2010 24:00`],
    ['536365,1,A,6,01/12/0210 08:26,2.55,1,France', `${NO_DATE} 01/12/0210 08:26`],
    ['536365,1,A,6,01/12/2110 08:26,2.55,1,France', `${NO_DATE} 01/12/2110 08:26`],
    ['536365,1,A,6,01/12/2010 08:26,2.55,17850.0,France', 'CustomerID is not a number: 17850.0'],
  ])('%s is malformed, with its amount', async (text, problem) => {
    expect(await read(text)).toMatchObject([
      { kind: 'malformed', line: 2, text, problem, quantity: 6, amountMinor: 1530n },
    ]);
  });
});

describe('a file', () => {
  it('may be cut into chunks anywhere, begin with a byte order mark and end lines as Windows does', async () => {
    const whole = Buffer.from(`\uFEFF${HEADER}\r\n${GOOD.replace('WHITE', '£')}\r\n${GOOD}`);
    const bytes = [...whole].map((byte) => Uint8Array.of(byte));
    const records = await collect(readSales(chunks(...bytes)));
    expect(records).toMatchObject([
      { line: 2, description: 'HEART, "£"', country: 'United Kingdom' },
      { line: 3 },
    ]);
  });

  it('has its lines numbered over many blocks, a broken one among them', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) =>
      index === 1_700 ? 'broken "' : GOOD,
    );
    const records = await read(...lines);
    expect(records.map((record) => record.line)).toEqual(lines.map((_, index) => index + 2));
    expect(records.filter((record) => record.kind === 'malformed')).toMatchObject([
      { line: 1_702 },
    ]);
  });

  it('does not lose the lines between two stray quotes', async () => {
    const records = await read(
      '1,1,"open',
      '2,1,A,1,01/12/2010 08:26,1,1,France',
      'shut",6,01/12/2010 08:26,2.55,1,France',
    );
    expect(records.map(({ kind, line }) => [kind, line])).toEqual([
      ['malformed', 2],
      ['sale-line', 3],
      ['malformed', 4],
    ]);
  });

  it.each([
    ['without a header', GOOD, /has no header; its first line is 536365,85123A,/],
    ['with semicolons', `${HEADER}\n${GOOD}`.replaceAll(',', ';'), /other separators than commas/],
    ['that is empty', '', /is empty/],
    ['in UTF-16', Buffer.from(`\uFEFF${HEADER}\n${GOOD}`, 'utf16le'), /is not text in UTF-8/],
    ['that is binary', Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0, 10, 7]), /is not text in UTF-8/],
    ['that is packed otherwise', Buffer.from('BZh91AY&SY\x82\0', 'latin1'), /is not text in UTF-8/],
  ])('%s is none, in one line', async (_, content, message) => {
    const read = collect(readSales(chunks(content)));
    await expect(read).rejects.toThrow(NotASalesFile);
    await expect(read).rejects.toThrow(message);
    await expect(read).rejects.not.toThrow(/\n/);
  });

  it('is not read into memory when it has no lines', async () => {
    const endless = Array.from({ length: 100 }, () => 'x'.repeat(1_000));
    await expect(collect(readSales(chunks(...endless)))).rejects.toThrow(/longer than 65536/);
  });

  it('is decompressed whatever its name, and a missing or truncated one gives a one-line error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'counterfoil-sales-'));
    try {
      const text = `${HEADER}\n${GOOD}\n`;
      await writeFile(join(folder, 'plain.csv'), text);
      await writeFile(join(folder, 'small.csv.gz'), gzipSync(text));
      await writeFile(join(folder, 'packed.csv'), gzipSync(text));
      await writeFile(join(folder, 'torn.csv.gz'), gzipSync(text).subarray(0, 40));
      const plain = await collect(readSales(openSales(join(folder, 'plain.csv'))));
      expect(plain).toHaveLength(1);
      for (const packed of ['small.csv.gz', 'packed.csv']) {
        expect(await collect(readSales(openSales(join(folder, packed))))).toEqual(plain);
      }
      for (const [broken, message] of [
        ['torn.csv.gz', /is compressed, and damaged: unexpected end of file/],
        ['gone.csv.gz', /cannot be read: ENOENT/],
        ['.', /cannot be read: EISDIR/],
      ] as const) {
        const read = collect(readSales(openSales(join(folder, broken))));
        await expect(read).rejects.toThrow(NotASalesFile);
        await expect(read).rejects.toThrow(message);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
