import '@mantine/core/styles/NumberInput.layer.css';
import { ActionIcon, Button, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type Draft, spread } from './draft.ts';
import s from './features.module.css';

type Variant = Draft['variants'][number];

/** The variants of a strategy and their shares. A share that a person enters is fixed; the others split what is left. */
export function Variants({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const { variants } = draft;
  const set = (next: Variant[]) => onChange({ variants: spread(next) });
  const replace = (index: number, change: Partial<Variant>) =>
    set(variants.map((one, n) => (n === index ? { ...one, ...change } : one)));
  return (
    <>
      {variants.length > 0 && (
        <div className={s.shares} aria-hidden="true">
          {variants.map((variant, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
            <span key={index} style={{ flexGrow: variant.weight }}>
              {variant.name} <b>{variant.weight / 10} %</b>
            </span>
          ))}
        </div>
      )}
      {variants.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change while a person types
        <div key={index} className={s.variant}>
          <TextInput
            aria-label={`Name of variant ${index + 1}`}
            placeholder="Name"
            value={variant.name}
            onChange={event => replace(index, { name: event.target.value })}
          />
          <NumberInput
            aria-label={`Share of variant ${index + 1} in percent`}
            min={0}
            max={100}
            decimalScale={1}
            suffix=" %"
            value={variant.weight / 10}
            onChange={value =>
              typeof value === 'number' &&
              value * 10 !== variant.weight &&
              replace(index, { weight: Math.round(value * 10), weightType: 'fix' })
            }
          />
          <Textarea
            aria-label={`Payload of variant ${index + 1}`}
            placeholder="Payload (text or JSON)"
            autosize
            maxRows={6}
            value={variant.payload?.value ?? ''}
            onChange={event => replace(index, { payload: payloadOf(event.target.value) })}
          />
          <ActionIcon
            aria-label={`Remove variant ${variant.name || index + 1}`}
            onClick={() => set(variants.filter((_, n) => n !== index))}
          >
            <X size={15} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="subtle"
        leftSection={<Plus size={14} />}
        onClick={() =>
          set([
            ...variants,
            {
              name: '',
              weight: 0,
              weightType: 'variable',
              stickiness: draft.parameters.stickiness ?? 'default',
            },
          ])
        }
      >
        Variant
      </Button>
    </>
  );
}

/** JSON objects and lists are JSON; all else is text. */
function payloadOf(text: string): Variant['payload'] {
  if (text === '') return undefined;
  try {
    const isJson = typeof JSON.parse(text) === 'object';
    return { type: isJson ? 'json' : 'string', value: text };
  } catch {
    return { type: 'string', value: text };
  }
}
