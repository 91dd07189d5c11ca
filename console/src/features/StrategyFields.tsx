import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Draft } from './draft.ts';
import s from './features.module.css';
import type { ContextField, Segment } from './queries.ts';
import { Rollout } from './Rollout.tsx';
import { Parameters, TypeField } from './StrategyType.tsx';
import { Targeting } from './Targeting.tsx';
import { Variants } from './Variants.tsx';

/** Edits a flag's strategy, or a project's default strategy. */
export function StrategyFields({
  draft,
  segments,
  fields,
  disabled,
  initialDraft,
  onChange,
}: {
  draft: Draft;
  segments: readonly Segment[];
  fields: readonly ContextField[];
  disabled: boolean;
  /** The initial state of a new strategy. If it is present, the user can choose the type. */
  initialDraft?: Draft;
  onChange(change: Partial<Draft>): void;
}) {
  return (
    <fieldset className={s.lines} disabled={disabled}>
      <Line label="Title">
        <div className={s.titleLine}>
          <TextInput
            aria-label="Title"
            placeholder="Optional"
            value={draft.title}
            onChange={event => onChange({ title: event.target.value })}
          />
          <Checkbox
            label="Disabled: SDKs ignore this strategy"
            checked={draft.disabled}
            onChange={event => onChange({ disabled: event.target.checked })}
          />
        </div>
      </Line>
      <Line label="Type">
        <TypeField draft={draft} initialDraft={initialDraft} onChange={onChange} />
      </Line>
      <Line label="Targeting">
        <Targeting draft={draft} segments={segments} fields={fields} onChange={onChange} />
      </Line>
      {draft.name === 'flexibleRollout' ? (
        <Line label="Rollout">
          <Rollout draft={draft} fields={fields} onChange={onChange} />
        </Line>
      ) : (
        <Line label="Parameters">
          <Parameters draft={draft} onChange={onChange} />
        </Line>
      )}
      <Line label="Variants">
        <Variants draft={draft} onChange={onChange} />
      </Line>
    </fieldset>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={s.line}>
      <h3>{label}</h3>
      <div>{children}</div>
    </div>
  );
}
