import { type MultiSelectProps, type SelectProps, TextInput } from '@mantine/core';
import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
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

/** A searchable field for one choice. Enter takes the first match. For a few options, use NativeSelect. */
export function Select(props: SelectProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <Suspense fallback={<SelectPlaceholder {...props} onFocusChange={setFocus} />}>
      <LazySelect
        {...props}
        autoFocus={hasFocus}
        onKeyDown={event => takeFirstMatch(event, props.value != null)}
      />
    </Suspense>
  );
}

/**
 * Clicks the first match on Enter, unless an option is highlighted, which Mantine clicks. While the field contains typed text, Enter
 * never submits the form, because the text would be lost. If the list is closed, the text can also be the label of the chosen option.
 */
function takeFirstMatch(event: KeyboardEvent<HTMLInputElement>, hasChoice: boolean) {
  const { value, ariaExpanded } = event.currentTarget;
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || value === '') return;
  if (hasChoice && ariaExpanded !== 'true') return;
  event.preventDefault();
  const list = document.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '');
  if (list?.querySelector('[data-combobox-selected], [data-combobox-active]')) return;
  list?.querySelector<HTMLElement>('[data-combobox-option]')?.click();
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
