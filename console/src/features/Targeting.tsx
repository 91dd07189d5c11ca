import { Button } from '@mantine/core';
import { Plus, Shapes, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Menu, MenuFilter, MenuItem } from '../ui/Menu.tsx';
import { ConstraintRow } from './ConstraintRow.tsx';
import { type Draft, newConstraint } from './draft.ts';
import s from './features.module.css';
import type { Constraint, ContextField, Segment } from './queries.ts';
import { describeConstraint, toPlainText } from './words.ts';

/** With more segments than this, the menu has a field that filters them. */
const MAX_UNFILTERED = 8;
const MAX_SHOWN = 50;

/** Edits the segments and constraints of an audience. A user must match all of them. */
export function Targeting({
  draft,
  segments,
  fields,
  onChange,
}: {
  draft: Draft;
  segments: readonly Segment[];
  fields: readonly ContextField[];
  onChange(change: Partial<Draft>): void;
}) {
  /** The index of the most recently added constraint, whose field gets the focus. */
  const [addedIndex, setAddedIndex] = useState<number>();
  /** The button that gets the focus when the focused element is removed. */
  const addButton = useRef<HTMLButtonElement>(null);
  const remove = (change: Partial<Draft>) => {
    onChange(change);
    addButton.current?.focus();
  };
  const [typedText, setTypedText] = useState('');
  const otherSegments = segments.filter(({ id }) => !draft.segments.includes(id));
  const matchingSegments = otherSegments.filter(({ name }) =>
    name.toLowerCase().includes(typedText.trim().toLowerCase()),
  );
  const chosenSegments = draft.segments.flatMap(id => segments.find(segment => segment.id === id) ?? []);
  const setConstraint = (index: number, constraint: Constraint) =>
    onChange({
      constraints: draft.constraints.map((current, position) => (position === index ? constraint : current)),
    });
  return (
    <>
      {chosenSegments.map(segment => (
        <div key={segment.id} className={s.target}>
          <span className={s.lead}>in segment</span>
          <span className={s.segment}>
            <Shapes size={13} aria-hidden="true" />
            {segment.name}
            <button
              type="button"
              aria-label={`Remove segment ${segment.name}`}
              onClick={() => remove({ segments: draft.segments.filter(id => id !== segment.id) })}
            >
              <X size={12} />
            </button>
          </span>
          <span className="muted">
            {segment.constraints
              .map(constraint => toPlainText(describeConstraint(constraint)))
              .join(' and ') || 'everyone'}
          </span>
        </div>
      ))}
      {draft.constraints.map((constraint, index) => (
        <ConstraintRow
          // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity
          key={index}
          isNew={index === addedIndex}
          lead={index > 0 || chosenSegments.length > 0 ? 'and' : 'if'}
          constraint={constraint}
          fields={fields}
          onChange={changed => setConstraint(index, changed)}
          onRemove={() => {
            setAddedIndex(undefined);
            remove({ constraints: draft.constraints.filter((_, position) => position !== index) });
          }}
        />
      ))}
      <Menu
        align="start"
        onClose={() => setTypedText('')}
        field={
          otherSegments.length > MAX_UNFILTERED && (
            <MenuFilter label="Find a segment" value={typedText} onChange={setTypedText} />
          )
        }
        target={
          <Button ref={addButton} variant="subtle" leftSection={<Plus size={14} />}>
            Add a constraint or segment
          </Button>
        }
      >
        <MenuItem
          onClick={() => {
            setAddedIndex(draft.constraints.length);
            onChange({ constraints: [...draft.constraints, newConstraint(fields)] });
          }}
        >
          Constraint on a context field
        </MenuItem>
        {matchingSegments.slice(0, MAX_SHOWN).map(({ id, name }) => (
          <MenuItem key={id} onClick={() => onChange({ segments: [...draft.segments, id] })}>
            Segment {name}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
