import { type MultiSelectProps, type SelectProps, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { loadChunk } from '../api/chunks.ts';

const loadChoices = () => loadChunk(() => import('./choices.ts'));
const LazyMultiSelect = lazy(() => loadChoices().then(module => ({ default: module.MultiSelect<string> })));
const LazySelect = lazy(() => loadChoices().then(module => ({ default: module.Select<string> })));

/** Several choices, which the user finds by typing. */
export function MultiSelect(props: MultiSelectProps) {
  return (
    <Suspense fallback={<SelectPlaceholder {...props} />}>
      <LazyMultiSelect {...props} />
    </Suspense>
  );
}

/** One choice, which the user finds by typing. For a few choices, use NativeSelect. */
export function Select(props: SelectProps) {
  return (
    <Suspense fallback={<SelectPlaceholder {...props} />}>
      <LazySelect {...props} />
    </Suspense>
  );
}

/** Replaces the field while the field's script loads. */
const SelectPlaceholder = ({
  label,
  description,
  placeholder,
}: Pick<SelectProps, 'label' | 'description' | 'placeholder'>) => (
  <TextInput label={label} description={description} placeholder={placeholder} disabled />
);
