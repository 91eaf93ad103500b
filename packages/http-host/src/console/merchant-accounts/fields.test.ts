import { optionalFields, requiredFields } from '@counterfoil/engine';
import { expect, it } from 'vitest';
import { FIELDS } from './fields.ts';

it('has every field that can be set in one group', () => {
  const names = FIELDS.map(({ name }) => name);
  expect(names.toSorted()).toEqual(
    Object.keys({ ...requiredFields, ...optionalFields }).toSorted(),
  );
});

it('marks those that must be given', () => {
  const required = FIELDS.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  expect(required.toSorted()).toEqual(Object.keys(requiredFields).toSorted());
});
