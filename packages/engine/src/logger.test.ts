import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger, redactingLogger, silentLogger } from './logger.ts';

const CARD = { number: '4242424242424242', cvv: '987' };
const QUOTED = JSON.stringify(CARD);
const SECRETS = /42424242|cvv/;

/** As HTTP clients make them: the request is attached. */
const withRequest = () =>
  Object.assign(new Error('422'), {
    config: { data: QUOTED, card: CARD },
    code: 'ERR_BAD_REQUEST',
  });

const ERRORS: readonly (readonly [string, () => Error])[] = [
  ['in the message and the stack', () => new Error(`422 for ${QUOTED}`)],
  ['in an attached request', withRequest],
  ['in the cause', () => new Error('failed', { cause: new Error(QUOTED) })],
  ['in a cause that is no error', () => new Error('failed', { cause: QUOTED })],
];

function linesOf(log: (logger: Logger) => void): string {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  log(createLogger({ level: 'warn', destination }));
  return lines.join('');
}

describe.each(ERRORS)('an error with a card number %s', (_, errorOf) => {
  it('is logged without it', () => {
    const written = linesOf((logger) => logger.warn({ err: errorOf() }, 'the gateway failed'));
    expect(written).toContain('the gateway failed');
    expect(written).not.toMatch(SECRETS);
  });

  it('reaches a logger of the embedder without it', () => {
    const passed: { err?: Error }[] = [];
    const own = { ...silentLogger, error: (facts: object) => void passed.push(facts) };
    redactingLogger(own).error({ err: errorOf() }, 'the gateway failed');
    expect(passed[0]?.err).toBeInstanceOf(Error);
    expect(inspect(passed, { depth: 10 })).not.toMatch(SECRETS);
  });
});

it('logs type, message, stack, code and cause of an error', () => {
  const error = Object.assign(new TypeError('no route', { cause: new RangeError('port') }), {
    code: 'EHOSTUNREACH',
  });
  const { err } = JSON.parse(linesOf((logger) => logger.error({ err: error }, 'failed')));
  expect(err).toMatchObject({ type: 'TypeError', message: 'no route', code: 'EHOSTUNREACH' });
  expect(err.stack).toContain('logger.test.ts');
  expect(err.cause).toMatchObject({ type: 'RangeError', message: 'port' });
});

it('logs the messages of errors that came together', () => {
  const error = new AggregateError([new Error('refused'), new Error('timed out')]);
  const { err } = JSON.parse(linesOf((logger) => logger.error({ err: error }, 'failed')));
  expect(err.message).toBe('refused; timed out');
});

it('keeps the frames of a stack whose message is redacted', () => {
  const { err } = JSON.parse(
    linesOf((logger) => logger.error({ err: new Error(`for ${QUOTED}`) }, 'failed')),
  );
  expect(err.message).toBe('[redacted]');
  expect(err.stack).toContain('logger.test.ts');
});
