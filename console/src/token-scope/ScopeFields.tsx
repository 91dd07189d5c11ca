import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import s from './scope.module.css';
import { CHANGE_KINDS, isForAgent, isReadOnly, type ScopeDraft } from './words.ts';

type Choice = { value: string; label: string };

/** The limits of a token that can do less than its owner. */
export function ScopeFields({
  draft,
  messages,
  change,
  isAgent = isForAgent(draft.access),
}: {
  draft: ScopeDraft;
  messages: Record<string, string | undefined>;
  change(part: Partial<ScopeDraft>): void;
  isAgent?: boolean;
}) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const { environments = [] } = useQuery(environmentsQuery).data ?? {};
  return (
    <>
      <Choices
        label="Projects"
        description={
          isAgent ? 'An agent needs at least one.' : 'None selected: every project that the owner can read.'
        }
        error={messages['scope.projects']}
        choices={toProjectOptions(projects)}
        value={draft.projects}
        onChange={projects => change({ projects })}
      />
      {!isReadOnly(draft.access) && (
        <>
          <Choices
            label="Environments it may change"
            description="None selected: all. If you select some, also select the permissions below that apply to every environment, such as archiving flags."
            error={messages['scope.environments']}
            choices={environments.map(({ name }) => ({ value: name, label: name }))}
            value={draft.environments}
            onChange={environments => change({ environments })}
          />
          <Choices
            label="What it may change"
            description="None selected: whatever the owner may change, except access, tokens and integrations."
            error={messages['scope.permissions']}
            choices={CHANGE_KINDS}
            value={draft.changes}
            onChange={changes => change({ changes })}
          />
          <TextInput
            type="number"
            min={1}
            label="Maximum number of changes"
            description="Each event counts as one."
            required={isAgent}
            value={draft.maxChanges}
            error={messages['scope.maxChanges']}
            onChange={event => change({ maxChanges: event.target.value })}
          />
          <TextInput
            type="number"
            min={0}
            max={100}
            label="Maximum rollout in production (%)"
            value={draft.maxProductionRollout}
            error={messages['scope.maxProductionRollout']}
            onChange={event => change({ maxProductionRollout: event.target.value })}
          />
        </>
      )}
    </>
  );
}

function Choices({
  choices,
  ...group
}: {
  label: string;
  description: string;
  error: string | undefined;
  choices: readonly Choice[];
  value: string[];
  onChange(values: string[]): void;
}) {
  return (
    <Checkbox.Group {...group}>
      <div className={s.choices}>
        {choices.map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
