import '@mantine/core/styles/NumberInput.layer.css';
import { ActionIcon, Button, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { escapeText } from '../ui/caller-text.ts';
import { JsonEditor } from '../ui/JsonEditor.tsx';
import { type Draft, distributeWeights, findPayloadProblem } from './draft.ts';
import s from './features.module.css';

type Variant = Draft['variants'][number];

const focus = (element: HTMLElement | null): void => element?.focus();

/** Edits a strategy's variants and weights. A weight entered by the user is fixed, and the other variants split the rest. */
export function Variants({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const { variants } = draft;
  const [addedIndex, setAddedIndex] = useState<number>();
  const setVariants = (changed: Variant[]) => onChange({ variants: distributeWeights(changed) });
  const replace = (index: number, change: Partial<Variant>) =>
    setVariants(
      variants.map((variant, position) => (position === index ? { ...variant, ...change } : variant)),
    );
  return (
    <>
      {variants.length > 0 && (
        <div className={s.shares} aria-hidden="true">
          {variants.map((variant, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
            <span key={index} style={{ flexGrow: variant.weight || 0 }}>
              {escapeText(variant.name)} <b>{(variant.weight || 0) / 10} %</b>
            </span>
          ))}
        </div>
      )}
      {variants.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
        <div key={index} className={s.variant}>
          <TextInput
            ref={index === addedIndex ? focus : undefined}
            aria-label={`Name of variant ${index + 1}`}
            placeholder="Name"
            value={variant.name}
            error={variants.findIndex(({ name }) => name === variant.name) < index || variant.name === ''}
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
            data={PAYLOAD_OPTIONS}
            onChange={event => replace(index, { payload: withType(variant.payload, event.target.value) })}
          />
          <ActionIcon
            aria-label={`Remove variant ${variant.name || index + 1}`}
            onClick={() => setVariants(variants.filter((_, position) => position !== index))}
          >
            <X size={15} />
          </ActionIcon>
          {variant.payload && (
            <div className={s.payload}>
              <PayloadField
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
          setAddedIndex(variants.length);
          setVariants([
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
const PAYLOAD_OPTIONS = [
  { value: '', label: 'No payload' },
  { value: 'string', label: 'Text' },
  { value: 'json', label: 'JSON' },
  { value: 'csv', label: 'CSV' },
  { value: 'number', label: 'Number' },
];
const PAYLOAD_TYPES: readonly PayloadValue['type'][] = ['string', 'json', 'csv', 'number'];

/** Changes the type of a payload and keeps its value. */
function withType(payload: Variant['payload'], name: string): Variant['payload'] {
  const type = PAYLOAD_TYPES.find(payloadType => payloadType === name);
  return type && { type, value: payload?.value ?? '' };
}

function PayloadField({
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
      error={payload.value !== '' && findPayloadProblem(payload)}
      {...(isNumber ? {} : { autosize: true, maxRows: 6 })}
      onChange={(event: { target: { value: string } }) => change(event.target.value)}
    />
  );
}
