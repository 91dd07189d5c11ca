import '@mantine/core/styles/NumberInput.layer.css';
import { ActionIcon, Button, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { JsonEditor } from '../ui/JsonEditor.tsx';
import { type Draft, payloadProblem, spread } from './draft.ts';
import s from './features.module.css';

type Variant = Draft['variants'][number];

const focus = (element: HTMLElement | null): void => element?.focus();

/** The variants of a strategy and their shares. A share that a person enters is fixed; the others split what is left. */
export function Variants({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const { variants } = draft;
  const [added, setAdded] = useState<number>();
  const set = (next: Variant[]) => onChange({ variants: spread(next) });
  const replace = (index: number, change: Partial<Variant>) =>
    set(variants.map((one, n) => (n === index ? { ...one, ...change } : one)));
  return (
    <>
      {variants.length > 0 && (
        <div className={s.shares} aria-hidden="true">
          {variants.map((variant, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
            <span key={index} style={{ flexGrow: variant.weight || 0 }}>
              {variant.name} <b>{(variant.weight || 0) / 10} %</b>
            </span>
          ))}
        </div>
      )}
      {variants.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
        <div key={index} className={s.variant}>
          <TextInput
            ref={index === added ? focus : undefined}
            aria-label={`Name of variant ${index + 1}`}
            placeholder="Name"
            value={variant.name}
            error={variants.findIndex(one => one.name === variant.name) < index || variant.name === ''}
            onChange={event => replace(index, { name: event.target.value })}
          />
          <NumberInput
            aria-label={`Share of variant ${index + 1} in percent`}
            min={0}
            max={100}
            decimalScale={1}
            suffix=" %"
            value={Number.isNaN(variant.weight) ? '' : variant.weight / 10}
            error={Number.isNaN(variant.weight)}
            onChange={value => {
              const weight = value === '' ? Number.NaN : Math.round(Number(value) * 10);
              if (!Object.is(weight, variant.weight)) replace(index, { weight, weightType: 'fix' });
            }}
          />
          <NativeSelect
            aria-label={`Payload type of variant ${index + 1}`}
            value={variant.payload?.type ?? ''}
            data={PAYLOADS}
            onChange={event => replace(index, { payload: withType(variant.payload, event.target.value) })}
          />
          <ActionIcon
            aria-label={`Remove variant ${variant.name || index + 1}`}
            onClick={() => set(variants.filter((_, n) => n !== index))}
          >
            <X size={15} />
          </ActionIcon>
          {variant.payload && (
            <div className={s.payload}>
              <Payload
                label={`Payload of variant ${index + 1}`}
                payload={variant.payload}
                onChange={payload => replace(index, { payload })}
              />
            </div>
          )}
        </div>
      ))}
      <Button
        variant="subtle"
        leftSection={<Plus size={14} />}
        onClick={() => {
          setAdded(variants.length);
          set([
            ...variants,
            {
              name: '',
              weight: 0,
              weightType: 'variable',
              stickiness: draft.parameters.stickiness ?? 'default',
            },
          ]);
        }}
      >
        Variant
      </Button>
    </>
  );
}

type PayloadValue = NonNullable<Variant['payload']>;
const PAYLOADS = [
  { value: '', label: 'No payload' },
  { value: 'string', label: 'Text' },
  { value: 'json', label: 'JSON' },
  { value: 'csv', label: 'CSV' },
  { value: 'number', label: 'Number' },
];
const TYPES: readonly PayloadValue['type'][] = ['string', 'json', 'csv', 'number'];

/** The payload with a different type. Its value stays. */
function withType(payload: Variant['payload'], name: string): Variant['payload'] {
  const type = TYPES.find(one => one === name);
  return type && { type, value: payload?.value ?? '' };
}

function Payload({
  label,
  payload,
  onChange,
}: {
  label: string;
  payload: PayloadValue;
  onChange(payload: PayloadValue): void;
}) {
  const change = (value: string) => onChange({ ...payload, value });
  if (payload.type === 'json') return <JsonEditor label={label} value={payload.value} onChange={change} />;
  const isNumber = payload.type === 'number';
  const Field = isNumber ? TextInput : Textarea;
  return (
    <Field
      aria-label={label}
      placeholder={isNumber ? '42' : payload.type === 'csv' ? 'a,b,c' : 'Text'}
      value={payload.value}
      error={payload.value !== '' && payloadProblem(payload)}
      {...(isNumber ? {} : { autosize: true, maxRows: 6 })}
      onChange={(event: { target: { value: string } }) => change(event.target.value)}
    />
  );
}
