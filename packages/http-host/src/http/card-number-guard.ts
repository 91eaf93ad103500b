/** Keeps card numbers out of stored and logged data, whichever field they were typed into. */

import { cardDigits, hasDigitsOfCard, holdsCardNumber } from '@counterfoil/engine/gateways';
import type { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { refuse } from './errors.ts';
import { definitionOf, partsOf } from './input-schema.ts';
import { detailAt, MAX_REPORTED_ERRORS, type Part } from './invalid-input.ts';

/** JSON numbers with fewer digits are accepted: they are ids far more often than card numbers. */
const LEAST_LONG_NUMBER = 10 ** 14;

const declared = new WeakSet<z.core.$ZodType>();

/**
 * Declares that a value may contain a card number: the card itself, and ids that are only searched
 * for. Apply it to the schema of a single value, after its last check: a derived schema loses the
 * mark.
 */
export function mayHoldCardNumber<Schema extends z.ZodType>(schema: Schema): Schema {
  declared.add(schema);
  return schema;
}

/** The paths below a schema where a card number is allowed, by step as `partsOf` names it. */
type Places = 'here' | ReadonlyMap<string, Places> | undefined;

/** A text long enough for a card number. */
interface Suspect {
  readonly part: Part;
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

interface Search {
  readonly suspects: Suspect[];
  /** Card numbers from the fields meant for them; these are found inside longer numbers too. */
  readonly known: string[];
}

/**
 * Throws `card_invalid` where a text of the validated input, a member name, a long number or one of
 * these headers contains a card number. Names the place, never the number.
 */
export function refuseCardNumbers(
  { params, query, body }: Pick<Endpoint, 'params' | 'query' | 'body'>,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  headers: Readonly<Record<string, string | undefined>>,
): void {
  const search: Search = { suspects: [], known: [] };
  for (const name in headers) visit(search, headers[name], { part: 'header', path: [name] });
  visit(search, input.params, { part: 'path', path: [], places: placesOf(params) });
  visit(search, input.query, { part: 'query', path: [], places: placesOf(query) });
  visit(search, input.body, { part: 'body', path: [], places: placesOf(body) });
  const { suspects, known } = search;
  const errors = suspects
    .filter(({ text }) => holdsCardNumber(text, known))
    .slice(0, MAX_REPORTED_ERRORS)
    .map(({ part, path }) => detailAt(path, { part, words: 'must not hold a card number' }));
  if (errors.length === 0) return;
  throw refuse('card_invalid', 'A card number stands where none may be', { errors });
}

interface Place {
  readonly part: Part;
  /** Mutated while the members are visited. */
  readonly path: PropertyKey[];
  readonly places?: Places;
}

function visit(search: Search, value: unknown, place: Place): void {
  const { part, path, places } = place;
  if (places === 'here') {
    const number = typeof value === 'string' ? cardDigits(value) : undefined;
    if (number !== undefined) search.known.push(number);
  } else if (typeof value === 'string') {
    suspect(search, value, place);
  } else if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && value >= LEAST_LONG_NUMBER)
      suspect(search, String(value), place);
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      path.push(index);
      visit(search, each, { part, path, places: stepTo(places, index) });
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      path.push(name);
      suspect(search, name, place);
      visit(search, each, { part, path, places: stepTo(places, name) });
      path.pop();
    }
  }
}

function suspect({ suspects }: Search, text: string, { part, path }: Place): void {
  if (hasDigitsOfCard(text)) suspects.push({ part, path: [...path], text });
}

function stepTo(places: Places, step: string | number): Places {
  if (places === undefined || places === 'here') return places;
  return places.get(`/${step}`) ?? places.get('/*');
}

const placesBySchema = new WeakMap<z.core.$ZodType, { readonly places: Places }>();

function placesOf(schema: z.core.$ZodType | undefined): Places {
  if (schema === undefined) return undefined;
  let found = placesBySchema.get(schema);
  if (found === undefined) {
    found = { places: readPlaces(schema) };
    placesBySchema.set(schema, found);
  }
  return found.places;
}

function readPlaces(schema: z.core.$ZodType): Places {
  if (declared.has(schema)) return 'here';
  let places: Places;
  for (const [step, part] of partsOf(definitionOf(schema))) {
    const within = readPlaces(part);
    if (within === undefined) continue;
    places = merged(places, step === '' ? within : new Map([[step, within]]));
  }
  return places;
}

function merged(one: Places, other: Places): Places {
  if (one === undefined || other === 'here') return other;
  if (other === undefined || one === 'here') return one;
  const both = new Map(one);
  for (const [step, places] of other) both.set(step, merged(both.get(step), places));
  return both;
}
