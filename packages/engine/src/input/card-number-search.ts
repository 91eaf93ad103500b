/** Finds card numbers in input, whichever field they were typed into. */

import type { z } from 'zod';
import { cardDigits } from '../gateways/card-number.ts';
import { hasDigitsOfCard, holdsCardNumber } from '../gateways/card-number-in-text.ts';
import { definitionOf, partsOf } from './schema-parts.ts';

/** JSON numbers with fewer digits are accepted: they are ids far more often than card numbers. */
const LEAST_LONG_NUMBER = 10 ** 14;

/** `card`: a card number is expected there. `other`: the digits mean something else. */
const declared = new WeakMap<z.core.$ZodType, 'card' | 'other'>();

/**
 * Declares that a value may contain a card number: the card itself, and ids that are only searched
 * for. Apply it to the schema of a single value, after its last check: a derived schema loses the
 * mark.
 */
export function mayHoldCardNumber<Schema extends z.ZodType>(schema: Schema): Schema {
  declared.set(schema, 'card');
  return schema;
}

/**
 * Declares that a value may look like a card number and is none: an identifier of a bank, a secret. Other
 * than a card number it may be repeated elsewhere. Applied as `mayHoldCardNumber` is.
 */
export function notACardNumber<Schema extends z.ZodType>(schema: Schema): Schema {
  declared.set(schema, 'other');
  return schema;
}

/** The paths below a schema where a card number is allowed, by step as `partsOf` names it. */
type Places = 'card' | 'other' | ReadonlyMap<string, Places> | undefined;

type Path = readonly PropertyKey[];

/** A text long enough for a card number. */
interface Suspect<Input> {
  readonly input: Input;
  readonly path: Path;
  readonly text: string;
}

interface Search<Input> {
  readonly suspects: Suspect<Input>[];
  /** Card numbers from the fields meant for them; these are found inside longer numbers too. */
  readonly known: string[];
}

/** A validated value; without a schema no card number is allowed anywhere in it. */
export interface Searched {
  readonly schema?: z.core.$ZodType | undefined;
  readonly value: unknown;
}

/** Where a text, a member name or a long number contains a card number that it may not contain. */
export function cardNumbersIn<Input extends Searched>(
  inputs: readonly Input[],
): readonly { readonly input: Input; readonly path: Path }[] {
  const search: Search<Input> = { suspects: [], known: [] };
  for (const input of inputs) {
    visit(search, input.value, { input, path: [], places: placesOf(input.schema) });
  }
  const { suspects, known } = search;
  return suspects.filter(({ text }) => holdsCardNumber(text, known));
}

/** A longer member name is not repeated to the caller. */
export const MAX_NAME_LENGTH = 100;

/** Whether a member name that the caller sent can be repeated: neither too long nor a card number. */
export function isShown(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && !holdsCardNumber(name);
}

interface Place<Input> {
  readonly input: Input;
  /** Mutated while the members are visited. */
  readonly path: PropertyKey[];
  readonly places?: Places;
}

function visit<Input>(search: Search<Input>, value: unknown, place: Place<Input>): void {
  const { input, path, places } = place;
  if (places === 'other') return;
  if (places === 'card') {
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
      visit(search, each, { input, path, places: stepTo(places, index) });
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    // The content of files is not searched.
    for (const [name, each] of Object.entries(value)) {
      path.push(name);
      suspect(search, name, place);
      visit(search, each, { input, path, places: stepTo(places, name) });
      path.pop();
    }
  }
}

function suspect<Input>(
  { suspects }: Search<Input>,
  text: string,
  { input, path }: Place<Input>,
): void {
  if (hasDigitsOfCard(text)) suspects.push({ input, path: [...path], text });
}

function stepTo(places: Places, step: string | number): Places {
  if (places === undefined || typeof places === 'string') return places;
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
  const here = declared.get(schema);
  if (here !== undefined) return here;
  let places: Places;
  for (const [step, part] of partsOf(definitionOf(schema))) {
    const within = readPlaces(part);
    if (within === undefined) continue;
    places = merged(places, step === '' ? within : new Map([[step, within]]));
  }
  return places;
}

function merged(one: Places, other: Places): Places {
  if (one === undefined || other === 'card') return other;
  if (other === undefined || typeof one === 'string') return one;
  if (typeof other === 'string') return other;
  const both = new Map(one);
  for (const [step, places] of other) both.set(step, merged(both.get(step), places));
  return both;
}
