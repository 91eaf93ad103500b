/** Waits of tests end early only on success: a slow machine is no failure. */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience-ms.ts';

type Options = Parameters<typeof vi.waitUntil>[1];

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

function patient(options: Options) {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(PATIENCE_MS, given?.timeout ?? 0) };
}
