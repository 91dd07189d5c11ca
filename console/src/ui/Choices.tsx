import { type MultiSelectProps, type SelectProps, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';

const loadChoices = () => loadChunk(() => import('./choices.ts'));
const LazyMultiSelect = lazy(() => loadChoices().then(module => ({ default: module.MultiSelect<string> })));
const LazySelect = lazy(() => loadChoices().then(module => ({ default: module.Select<string> })));

/** A searchable field for several choices. */
export function MultiSelect(props: MultiSelectProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <Suspense fallback={<SelectPlaceholder {...props} onFocusChange={setFocus} />}>
      <LazyMultiSelect {...props} autoFocus={hasFocus} />
    </Suspense>
  );
}

/** A searchable field for one choice. For a few options, use NativeSelect. */
export function Select(props: SelectProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <Suspense fallback={<SelectPlaceholder {...props} onFocusChange={setFocus} />}>
      <LazySelect {...props} autoFocus={hasFocus} />
    </Suspense>
  );
}

/** Shown until the field's script has loaded. The field then takes over the focus, unless the user has moved it in the meantime. */
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
