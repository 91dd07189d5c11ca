import { type MultiSelectProps, type SelectProps, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';

const loadChoices = () => loadChunk(() => import('./choices.ts'));
const LazyMultiSelect = lazy(() => loadChoices().then(module => ({ default: module.MultiSelect<string> })));
const LazySelect = lazy(() => loadChoices().then(module => ({ default: module.Select<string> })));

/** Several choices, which the user finds by typing. */
export function MultiSelect(props: MultiSelectProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <Suspense fallback={<SelectPlaceholder {...props} onFocusChange={setFocus} />}>
      <LazyMultiSelect {...props} autoFocus={hasFocus} />
    </Suspense>
  );
}

/** One choice, which the user finds by typing. For a few choices, use NativeSelect. */
export function Select(props: SelectProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <Suspense fallback={<SelectPlaceholder {...props} onFocusChange={setFocus} />}>
      <LazySelect {...props} autoFocus={hasFocus} />
    </Suspense>
  );
}

/** Replaces the field while the field's script loads. The field takes over the focus, unless the user has moved it in the meantime. */
const SelectPlaceholder = ({
  label,
  description,
  placeholder,
  'data-autofocus': isFirst,
  onFocusChange,
}: Pick<SelectProps, 'label' | 'description' | 'placeholder'> & {
  'data-autofocus'?: boolean;
  onFocusChange(hasFocus: boolean): void;
}) => (
  <TextInput
    label={label}
    description={description}
    placeholder={placeholder}
    data-autofocus={isFirst}
    readOnly
    onFocus={() => onFocusChange(true)}
    onBlur={() => onFocusChange(false)}
  />
);
