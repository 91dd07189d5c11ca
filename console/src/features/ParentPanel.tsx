import { Button, Input, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { useDraft } from '../ui/useDraft.ts';
import {
  type Dependency,
  type Feature,
  parentVariantsQuery,
  possibleParentsQuery,
  setParent,
} from './queries.ts';
import { ValuesInput } from './ValuesInput.tsx';

const CONDITIONS = {
  enabled: 'is enabled',
  disabled: 'is disabled',
  variants: 'serves one of certain variants',
};
type Condition = keyof typeof CONDITIONS;
const NAMES = Object.keys(CONDITIONS) as Condition[]; // Object.keys loses the key types.
type Draft = { name: string; condition: Condition; variants: readonly string[] };
const FIELDS = ['feature', 'enabled', 'variants'];
const MAX_SUGGESTIONS = 500;

const conditionOf = ({ enabled, variants }: Dependency): Condition =>
  enabled ? (variants.length > 0 ? 'variants' : 'enabled') : 'disabled';

/** The panel that adds a parent, or changes what the flag requires from one. */
export function ParentPanel({
  feature,
  parent,
  onClose,
}: {
  feature: Feature;
  /** undefined: a new parent. */
  parent: Dependency | undefined;
  onClose(): void;
}) {
  const place = { projectId: feature.project, featureName: feature.name };
  const { draft, change, discard } = useDraft<Draft>(`parent:${feature.name}:${parent?.feature ?? 'new'}`, {
    name: parent?.feature ?? '',
    condition: parent ? conditionOf(parent) : 'enabled',
    variants: parent?.variants ?? [],
  });
  const { name, condition, variants } = draft;
  const close = () => {
    discard();
    onClose();
  };
  const candidates = useQuery({ ...possibleParentsQuery(place), enabled: parent === undefined }).data;
  const isKnown = parent !== undefined || (candidates?.includes(name) ?? false);
  const known = useQuery({
    ...parentVariantsQuery({ ...place, featureName: name }),
    enabled: isKnown && condition === 'variants',
  }).data;
  const save = useMutation({
    mutationFn: () =>
      setParent(place, {
        feature: name,
        enabled: condition !== 'disabled',
        variants: condition === 'variants' ? [...variants] : [],
      }),
    onSuccess: async () => {
      discard();
      onClose();
    },
  });
  const messages = messagesByField(save.error);
  const isUnknown = name !== '' && candidates !== undefined && !isKnown;
  return (
    <SidePanel title={parent ? `Parent ${parent.feature}` : 'New parent'} onClose={close}>
      <Form
        onSubmit={() => save.mutate()}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Can call="addFeatureDependency" project={feature.project}>
              <Button
                type="submit"
                variant="filled"
                loading={save.isPending}
                disabled={!isKnown || (condition === 'variants' && variants.length === 0)}
              >
                {parent ? 'Save parent' : 'Add parent'}
              </Button>
            </Can>
          </>
        }
      >
        <FormErrors messages={otherMessages(save.error, FIELDS)} />
        {parent === undefined && (
          <>
            <TextInput
              label="Flag"
              description="An active flag of this project that has no parents itself"
              classNames={{ input: 'mono' }}
              required
              list="possible-parents"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              value={name}
              error={messages.feature ?? (isUnknown && `No flag "${name}" can become a parent.`)}
              onChange={event => {
                change({ name: event.target.value.trim() });
                save.reset();
              }}
            />
            <datalist id="possible-parents">
              {candidates
                ?.filter(one => one.includes(name))
                .slice(0, MAX_SUGGESTIONS)
                .map(one => (
                  <option key={one} value={one} />
                ))}
            </datalist>
          </>
        )}
        <NativeSelect
          label={`Serve ${feature.name} only if the parent`}
          value={condition}
          error={messages.enabled}
          data={NAMES.map(value => ({ value, label: CONDITIONS[value] }))}
          onChange={event =>
            change({ condition: NAMES.find(one => one === event.target.value) ?? 'enabled' })
          }
        />
        {condition === 'variants' && (
          <Input.Wrapper
            label="Variants"
            labelElement="div"
            description={
              known?.length === 0
                ? 'The parent has no variants yet. Enter the names that it will have.'
                : 'The parent must serve one of these variants.'
            }
            error={messages.variants}
          >
            <ValuesInput
              label="Variants of the parent"
              values={variants}
              suggestions={known?.map(value => ({ value }))}
              onChange={values => change({ variants: values })}
            />
          </Input.Wrapper>
        )}
      </Form>
    </SidePanel>
  );
}
