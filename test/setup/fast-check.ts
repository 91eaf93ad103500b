/** Sets the seed of every property test; FC_RUNS sets the number of runs. */
import fc from 'fast-check';

fc.configureGlobal({
  seed: wholeNumber('FC_SEED'),
  ...(process.env['FC_RUNS'] === undefined ? {} : { numRuns: wholeNumber('FC_RUNS') }),
});

function wholeNumber(name: string): number {
  const value = Number(process.env[name]);
  if (!Number.isSafeInteger(value)) {
    throw new Error(`${name} must be a whole number, not ${process.env[name]}`);
  }
  return value;
}
