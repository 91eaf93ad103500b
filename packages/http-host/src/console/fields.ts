/** Fields of forms that are no plain texts. */
import { z } from 'zod';
import { text } from '../api/wire.ts';

const MAX_CHOSEN = 200;

/** Checkboxes of one name: none, one or several. */
export const Chosen = z
  .union([text(100).transform((one) => [one]), z.array(text(100)).max(MAX_CHOSEN)])
  .default([]);

/** A checkbox: absent when it is not ticked. */
export const Ticked = z
  .literal('yes')
  .optional()
  .transform((given) => given === 'yes');

/** Hidden in a form: the version that the user saw. */
export const SeenVersion = z.string().max(16).transform(Number).pipe(z.int().positive());
