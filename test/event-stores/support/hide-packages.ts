/** Loaded before a program: lets the packages named in HIDDEN_PACKAGES be not installed. */
import { registerHooks } from 'node:module';

const hidden = (process.env['HIDDEN_PACKAGES'] ?? '').split(',');

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!hidden.includes(specifier)) return nextResolve(specifier, context);
    const error = new Error(`Cannot find package '${specifier}' imported from here`);
    throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
