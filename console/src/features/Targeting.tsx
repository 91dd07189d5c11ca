import { Button } from '@mantine/core';
import { Plus, Shapes, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { ConstraintRow } from './ConstraintRow.tsx';
import { type Draft, newConstraint } from './draft.ts';
import s from './features.module.css';
import type { Constraint, ContextField, Segment } from './queries.ts';
import { constraintWords, textOf } from './words.ts';

/** The audience: segments and constraints. All of them must match. */
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
  /** The constraint that the user added last. Its field gets the focus. */
  const [added, setAdded] = useState<number>();
  /** Gets the focus when the focused element was removed. */
  const adding = useRef<HTMLButtonElement>(null);
  const remove = (change: Partial<Draft>) => {
    onChange(change);
    adding.current?.focus();
  };
  const chosen = draft.segments.flatMap(id => segments.find(one => one.id === id) ?? []);
  const setConstraint = (index: number, constraint: Constraint) =>
    onChange({ constraints: draft.constraints.map((one, n) => (n === index ? constraint : one)) });
  return (
    <>
      {chosen.map(segment => (
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
            {segment.constraints.map(one => textOf(constraintWords(one))).join(' and ') || 'everyone'}
          </span>
        </div>
      ))}
      {draft.constraints.map((constraint, index) => (
        <ConstraintRow
          // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity
          key={index}
          isNew={index === added}
          lead={index > 0 || chosen.length > 0 ? 'and' : 'if'}
          constraint={constraint}
          fields={fields}
          onChange={next => setConstraint(index, next)}
          onRemove={() => {
            setAdded(undefined);
            remove({ constraints: draft.constraints.filter((_, n) => n !== index) });
          }}
        />
      ))}
      <Menu
        align="start"
        target={
          <Button ref={adding} variant="subtle" leftSection={<Plus size={14} />}>
            Add a constraint or segment
          </Button>
        }
      >
        <MenuItem
          onClick={() => {
            setAdded(draft.constraints.length);
            onChange({ constraints: [...draft.constraints, newConstraint(fields)] });
          }}
        >
          Constraint on a context field
        </MenuItem>
        {segments
          .filter(({ id }) => !draft.segments.includes(id))
          .map(({ id, name }) => (
            <MenuItem key={id} onClick={() => onChange({ segments: [...draft.segments, id] })}>
              Segment {name}
            </MenuItem>
          ))}
      </Menu>
    </>
  );
}
