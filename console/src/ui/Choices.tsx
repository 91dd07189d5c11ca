import { type MultiSelectProps, type SelectProps, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadChunk } from '../api/chunks.ts';

const loadChoices = () => loadChunk(() => import('./choices.ts'));
const LazyMultiSelect = lazy(() => loadChoices().then(module => ({ default: module.MultiSelect<string> })));
const LazySelect = lazy(() => loadChoices().then(module => ({ default: module.Select<string> })));

/** Several choices, which the user finds by typing. */
export function MultiSelect(props: MultiSelectProps) {
  return (
    <Suspense fallback={<Place {...props} />}>
      <LazyMultiSelect {...props} />
    </Suspense>
  );
}

/** One choice, which the user finds by typing. For a few choices, use NativeSelect. */
export function Select(props: SelectProps) {
  return (
    <Suspense fallback={<Place {...props} />}>
      <LazySelect {...props} />
    </Suspense>
  );
}

/** The place of a field while its script loads. */
const Place = ({
  label,
  description,
  placeholder,
}: Pick<SelectProps, 'label' | 'description' | 'placeholder'>) => (
  <TextInput label={label} description={description} placeholder={placeholder} disabled />
);
