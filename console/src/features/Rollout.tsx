import '@mantine/core/styles/NumberInput.layer.css';
import '@mantine/core/styles/Slider.layer.css';
import { NativeSelect, NumberInput, Slider } from '@mantine/core';
import type { Draft } from './draft.ts';
import s from './features.module.css';
import type { ContextField } from './queries.ts';

/** The share of the audience, and the field that keeps a user in or out. */
export function Rollout({
  draft,
  fields,
  onChange,
}: {
  draft: Draft;
  fields: readonly ContextField[];
  onChange(change: Partial<Draft>): void;
}) {
  const set = (parameters: Record<string, string>) =>
    onChange({ parameters: { ...draft.parameters, ...parameters } });
  const rollout = Number(draft.parameters.rollout ?? 100);
  const stickiness = draft.parameters.stickiness ?? 'default';
  const choices = [
    ...new Set([
      'default',
      'random',
      ...fields.filter(one => one.stickiness).map(one => one.name),
      stickiness,
    ]),
  ];
  return (
    <div className={s.rollout}>
      <Slider
        thumbLabel="Rollout"
        label={null}
        value={rollout}
        onChange={value => set({ rollout: String(value) })}
      />
      <NumberInput
        aria-label="Rollout in percent"
        min={0}
        max={100}
        allowDecimal={false}
        clampBehavior="strict"
        suffix=" %"
        value={rollout}
        onChange={value => value !== '' && set({ rollout: String(value) })}
      />
      <NativeSelect
        aria-label="Stickiness"
        value={stickiness}
        data={choices.map(value => ({ value, label: `sticky by ${value}` }))}
        onChange={event => set({ stickiness: event.target.value })}
      />
    </div>
  );
}
