/** The clocks: a test clock is monotonic, across changes of the system clock and restarts. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, type Settings } from '../settings.ts';
import { openClock, openTestClock, presentIn, testClockFileIn } from './clock.ts';

const BEGIN_MS = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'counterfoil-clock-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A settable system clock. */
function system(): { nowMs: number; readonly systemNow: () => number } {
  const clock = { nowMs: BEGIN_MS, systemNow: () => clock.nowMs };
  return clock;
}

describe('a test clock', () => {
  it("shows the system's time until it is moved, and goes on from there", () => {
    const machine = system();
    const clock = openTestClock(machine);
    expect(clock.now()).toBe('2026-03-01T12:00:00.000Z');
    clock.moveTo(BEGIN_MS + HOUR_MS);
    expect(clock.now()).toBe('2026-03-01T13:00:00.000Z');
    expect(clock.aheadMs).toBe(HOUR_MS);
    machine.nowMs += 5;
    expect(clock.now()).toBe('2026-03-01T13:00:00.005Z');
  });

  it('may be moved to the present, and is not moved by a millisecond into the past', () => {
    const clock = openTestClock(system());
    clock.moveTo(BEGIN_MS + 10);
    clock.moveTo(BEGIN_MS + 10);
    clock.moveTo(BEGIN_MS + 9);
    expect(clock.now()).toBe('2026-03-01T12:00:00.010Z');
  });

  it('is moved to what it shows though it goes on between the look and the move', () => {
    const machine = system();
    const clock = openTestClock({ systemNow: () => machine.nowMs++ });
    const seen = Date.parse(clock.now());
    clock.moveTo(seen);
    expect(Date.parse(clock.now())).toBeGreaterThan(seen);
  });

  it('is kept for its owner alone, and found again', () => {
    const path = testClockFileIn(folder());
    const machine = system();
    openTestClock({ path, ...machine }).moveTo(BEGIN_MS + HOUR_MS);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    machine.nowMs += 1_000;
    const again = openTestClock({ path, systemNow: () => machine.nowMs });
    expect(again.now()).toBe('2026-03-01T13:00:01.000Z');
  });

  it('is not kept when it cannot be, and then not moved either', () => {
    const path = join(folder(), 'clock');
    writeFileSync(path, '');
    // A file stands where the folder would be.
    const clock = openTestClock({ path: join(path, 'test-clock.json'), ...system() });
    expect(() => clock.moveTo(BEGIN_MS + HOUR_MS)).toThrow(/EEXIST|ENOTDIR/);
    expect(clock.now()).toBe('2026-03-01T12:00:00.000Z');
  });

  it('never goes back, whatever the system clock does, and over restarts', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('system' as const),
        ms: fc.integer({ min: -1e10, max: 1e10 }),
      }),
      fc.record({ kind: fc.constant('move' as const), ms: fc.nat(1e10) }),
      fc.record({
        kind: fc.constant('restart' as const),
        ms: fc.integer({ min: -1e10, max: 1e10 }),
      }),
    );
    const path = testClockFileIn(folder());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        rmSync(path, { force: true });
        const machine = system();
        const open = () => openTestClock({ path, systemNow: () => machine.nowMs });
        let clock = open();
        let shown = clock.now();
        let moved = false;
        for (const { kind, ms } of steps) {
          if (kind === 'system') machine.nowMs += ms;
          if (kind === 'move') {
            const toMs = Date.parse(clock.now()) + ms;
            clock.moveTo(toMs);
            moved = true;
            expect(clock.now()).toBe(new Date(toMs).toISOString());
          }
          if (kind === 'restart') {
            // A host that stops in order stores it; a clock that was never moved is the system's.
            if (moved) clock.moveTo(Date.parse(clock.now()));
            machine.nowMs += ms;
            if (!moved) shown = new Date(machine.nowMs).toISOString();
            clock = open();
          }
          const now = clock.now();
          expect(now >= shown).toBe(true);
          shown = now;
        }
      }),
    );
  });

  it.each(['', '{"aheadMs":12', '[]', '{"aheadMs":-5,"reachedMs":0}', '{"aheadMs":1}', '\u0000'])(
    'is refused when its file is %j',
    (text) => {
      const path = testClockFileIn(folder());
      writeFileSync(path, text);
      expect(() => openTestClock({ path })).toThrow(ConfigError);
      expect(() => openTestClock({ path })).toThrow(/test-clock\.json does not tell/);
    },
  );
});

describe('the clock of a configuration', () => {
  const settingsOf = (dataDir: string, given: Partial<Settings> = {}): Settings => ({
    dataDir,
    eventStoreUrl: `sqlite:${join(dataDir, 'events.db')}`,
    readModelUrl: `sqlite:${join(dataDir, 'read-models.db')}`,
    runProjections: true,
    testClock: false,
    production: false,
    masterKey: undefined,
    gatewayTimeoutMs: 10_000,
    gatewayMaxInFlight: 1_000,
    activityDays: 400,
    webhookLogDays: 30,
    loopbackWebhooks: false,
    dueWorkIntervalMs: 1_000,
    mail: undefined,
    ...given,
  });

  it("is the system's, unless it is to be a test clock", () => {
    const path = folder();
    expect(openClock(settingsOf(path))).not.toHaveProperty('moveTo');
    expect(openClock(settingsOf(path, { testClock: true }))).toHaveProperty('moveTo');
  });

  it("is not the system's once a test clock was moved there", () => {
    const path = folder();
    openTestClock({ path: testClockFileIn(path) }).moveTo(Date.now() + 30 * HOUR_MS);
    expect(() => openClock(settingsOf(path))).toThrow(
      /TEST_CLOCK must be 1.*moved 30 hours ahead/s,
    );
    const ahead = Date.parse(openClock(settingsOf(path, { testClock: true })).now()) - Date.now();
    expect(Math.round(ahead / HOUR_MS)).toBe(30);
    expect(Math.round((presentIn(settingsOf(path)).nowMs - Date.now()) / HOUR_MS)).toBe(30);
    expect(Math.round((presentIn(settingsOf(folder())).nowMs - Date.now()) / HOUR_MS)).toBe(0);
    writeFileSync(testClockFileIn(path), '');
    expect(presentIn(settingsOf(path)).problem).toMatch(/does not tell how far/);
  });

  it('keeps nothing of a log in memory', () => {
    const path = folder();
    const memory = { eventStoreUrl: 'memory:', readModelUrl: 'memory:', testClock: true };
    const clock = openClock(settingsOf(path, memory)) as ReturnType<typeof openTestClock>;
    clock.moveTo(Date.now() + HOUR_MS);
    expect(openTestClock({ path: testClockFileIn(path) }).aheadMs).toBe(0);
    expect(presentIn(settingsOf(path, memory)).nowMs - Date.now()).toBeLessThan(HOUR_MS);
  });
});
