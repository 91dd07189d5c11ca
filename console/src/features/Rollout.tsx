import '@mantine/core/styles/NumberInput.layer.css';
import '@mantine/core/styles/Slider.layer.css';
import { NativeSelect, NumberInput, Slider } from '@mantine/core';
import { type Draft, findRolloutProblem } from './draft.ts';
import s from './features.module.css';
import type { ContextField } from './queries.ts';

/** Edits the rollout percentage and the stickiness, which is the field that keeps a user's result stable. */
export function Rollout({
  draft,
  fields,
  onChange,
}: {
  draft: Draft;
  fields: readonly ContextField[];
  onChange(change: Partial<Draft>): void;
}) {
  const setParameters = (parameters: Record<string, string>) =>
    onChange({ parameters: { ...draft.parameters, ...parameters } });
  const rollout = draft.parameters.rollout ?? '100';
  const stickiness = draft.parameters.stickiness ?? 'default';
  const choices = [
    ...new Set([
      'default',
      'random',
      ...fields.filter(field => field.stickiness).map(field => field.name),
      stickiness,
    ]),
  ];
  const problem = findRolloutProblem(draft);
  return (
    <>
      <div className={s.rollout}>
        <Slider
          thumbLabel="Rollout"
          label={null}
          value={Math.min(100, Math.max(0, Number(rollout) || 0))}
          onChange={value => setParameters({ rollout: String(value) })}
        />
        <NumberInput
          aria-label="Rollout in percent"
          min={0}
          max={100}
          clampBehavior="none"
          suffix=" %"
          value={rollout}
          error={problem !== undefined}
          aria-describedby={problem && 'rollout-problem'}
          onChange={value => setParameters({ rollout: String(value) })}
        />
        <NativeSelect
          aria-label="Stickiness"
          value={stickiness}
          data={choices.map(value => ({
            value,
            label: value === 'random' ? 'random at each evaluation' : `sticky by ${value}`,
          }))}
          onChange={event => setParameters({ stickiness: event.target.value })}
        />
      </div>
      {problem && (
        <p id="rollout-problem" className={s.problem} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
