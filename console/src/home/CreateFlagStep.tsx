import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { createFlag } from '../feature-search/queries.ts';
import { FlagLink } from '../features/FlagLink.tsx';
import { setEnabled } from '../features/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Env } from '../ui/Env.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { useDraft } from '../ui/useDraft.ts';
import s from './first-run.module.css';
import { ENVIRONMENT, type NewestFlag, PROJECT } from './queries.ts';
import { Step } from './Step.tsx';

const SUGGESTED_NAME = 'new-checkout';

/** The first step creates a flag and enables it in development, so that an application sees the difference. */
export function CreateFlagStep({ flag, isCurrent }: { flag: NewestFlag | null; isCurrent: boolean }) {
  const isEnabled = flag?.environments.some(({ name, enabled }) => name === ENVIRONMENT && enabled);
  return (
    <Step
      number={1}
      title="Create a flag"
      isDone={flag !== null}
      isCurrent={isCurrent}
      summary={
        flag ? (
          <>
            <FlagLink project={flag.project} name={flag.name} /> in project <b>Default</b>
            {isEnabled && (
              <>
                , enabled in <Env name={ENVIRONMENT} />
              </>
            )}
          </>
        ) : (
          'Your code asks for a flag by its name. You decide here who gets it.'
        )
      }
    >
      {!flag && <NewFlag />}
    </Step>
  );
}

function NewFlag() {
  const client = useQueryClient();
  const { draft, change, discard } = useDraft('first-flag', { name: SUGGESTED_NAME, enable: true });
  const name = draft.name.trim();
  const create = useMutation({
    mutationFn: async () => {
      await createFlag(PROJECT, { name, type: 'release' });
      if (draft.enable)
        await setEnabled(client, { projectId: PROJECT, featureName: name, environment: ENVIRONMENT }, true);
    },
    onSuccess: discard,
  });
  const messages = messagesByField(create.error);
  return (
    <form
      className={s.form}
      onSubmit={event => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <FormErrors messages={messagesWithoutField(create.error, ['name'])} />
      <TextInput
        label="Name"
        classNames={{ input: 'mono' }}
        required
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        value={draft.name}
        error={messages.name}
        onChange={event => {
          change({ name: event.target.value });
          create.reset();
        }}
      />
      <Checkbox
        label={`Enable it for everyone in ${ENVIRONMENT}`}
        checked={draft.enable}
        onChange={event => change({ enable: event.target.checked })}
      />
      <span>
        <Can call="createFeature" project={PROJECT}>
          <Button type="submit" variant="filled" loading={create.isPending} disabled={name === ''}>
            Create flag
          </Button>
        </Can>
      </span>
    </form>
  );
}
