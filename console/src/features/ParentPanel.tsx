import { Button, Input, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
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
  variants: 'serves a specific variant',
};
type Condition = keyof typeof CONDITIONS;
const CONDITION_NAMES = Object.keys(CONDITIONS) as Condition[]; // Object.keys returns string[].
type Draft = { name: string; condition: Condition; variants: readonly string[] };
const SHOWN_FIELDS = ['feature', 'enabled', 'variants'];
const MAX_SUGGESTIONS = 500;

const getCondition = ({ enabled, variants }: Dependency): Condition =>
  enabled ? (variants.length > 0 ? 'variants' : 'enabled') : 'disabled';

/** The panel that adds a parent, or changes the condition that a parent must meet. */
export function ParentPanel({
  feature,
  parent,
  onClose,
}: {
  feature: Feature;
  /** Undefined for a new parent. */
  parent: Dependency | undefined;
  onClose(): void;
}) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { draft, change, discard } = useDraft<Draft>(`parent:${feature.name}:${parent?.feature ?? 'new'}`, {
    name: parent?.feature ?? '',
    condition: parent ? getCondition(parent) : 'enabled',
    variants: parent?.variants ?? [],
  });
  const { name, condition, variants } = draft;
  const close = () => {
    discard();
    onClose();
  };
  const candidates = useQuery({ ...possibleParentsQuery(path), enabled: parent === undefined }).data;
  const isPossibleParent = parent !== undefined || (candidates?.includes(name) ?? false);
  const parentVariants = useQuery({
    ...parentVariantsQuery({ ...path, featureName: name }),
    enabled: isPossibleParent && condition === 'variants',
  }).data;
  const save = useMutation({
    mutationFn: () =>
      setParent(path, {
        feature: name,
        enabled: condition !== 'disabled',
        variants: condition === 'variants' ? [...variants] : [],
      }),
    onSuccess: async () => close(),
  });
  const messages = messagesByField(save.error);
  const isUnknownFlag = name !== '' && candidates !== undefined && !isPossibleParent;
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
                disabled={!isPossibleParent || (condition === 'variants' && variants.length === 0)}
              >
                {parent ? 'Save parent' : 'Add parent'}
              </Button>
            </Can>
          </>
        }
      >
        <FormErrors messages={messagesWithoutField(save.error, SHOWN_FIELDS)} />
        {parent === undefined && (
          <>
            <TextInput
              label="Flag"
              description="An active flag in this project that has no parent of its own"
              classNames={{ input: 'mono' }}
              required
              list="possible-parents"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              value={name}
              error={
                messages.feature ??
                (isUnknownFlag &&
                  `"${name}" cannot be a parent. Choose an active flag in this project that has no parent.`)
              }
              onChange={event => {
                change({ name: event.target.value.trim() });
                save.reset();
              }}
            />
            <datalist id="possible-parents">
              {candidates
                ?.filter(candidate => candidate.includes(name))
                .slice(0, MAX_SUGGESTIONS)
                .map(candidate => (
                  <option key={candidate} value={candidate} />
                ))}
            </datalist>
          </>
        )}
        <NativeSelect
          label={`Serve ${feature.name} only if the parent`}
          value={condition}
          error={messages.enabled}
          data={CONDITION_NAMES.map(value => ({ value, label: CONDITIONS[value] }))}
          onChange={event =>
            change({
              condition:
                CONDITION_NAMES.find(conditionName => conditionName === event.target.value) ?? 'enabled',
            })
          }
        />
        {condition === 'variants' && (
          <Input.Wrapper
            label="Variants"
            labelElement="div"
            description={
              parentVariants?.length === 0
                ? 'The parent has no variants yet. Enter the names you plan to give them.'
                : 'The parent must serve one of these variants.'
            }
            error={messages.variants}
          >
            <ValuesInput
              label="Variants of the parent"
              values={variants}
              suggestions={parentVariants?.map(value => ({ value }))}
              onChange={values => change({ variants: values })}
            />
          </Input.Wrapper>
        )}
      </Form>
    </SidePanel>
  );
}
