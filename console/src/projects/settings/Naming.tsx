import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../../api/errors.ts';
import { useMissingPermissions } from '../../api/me.ts';
import { FlagLink } from '../../features/FlagLink.tsx';
import { Conflict } from '../../ui/Conflict.tsx';
import { FormErrors } from '../../ui/Failure.tsx';
import { FormAndEffect } from '../../ui/FormAndEffect.tsx';
import { LastChange } from '../../ui/LastChange.tsx';
import { findChange } from '../../ui/last-change.ts';
import { RailSection } from '../../ui/RailSection.tsx';
import { SaveBar } from '../../ui/SaveBar.tsx';
import { toast } from '../../ui/toasts.ts';
import { useEditor } from '../../ui/useEditor.tsx';
import type { Version } from '../../ui/versions.ts';
import { formatCount, formatNumber } from '../../ui/words.ts';
import { useProject } from '../Frame.tsx';
import type { ProjectDetails } from '../queries.ts';
import { type Effect, Effects } from './Effects.tsx';
import { SettingsPage } from './Frame.tsx';
import { type NamingCheck, namingQuery, readProject, updateSettings } from './queries.ts';
import s from './settings.module.css';
import { buildProjectSubject } from './subjects.ts';

export function NamingPage() {
  return (
    <SettingsPage>
      {(project, etag) => (
        <Naming key={project.id} project={project} savedVersion={{ draft: toDraft(project), etag }} />
      )}
    </SettingsPage>
  );
}

/** An empty string means that there is no rule or no limit. */
type Draft = {
  pattern: string;
  example: string;
  ruleDescription: string;
  featureLimit: string;
  debtBudget: string;
  requireComment: boolean;
};
const SHOWN_FIELDS = [
  'featureNaming.pattern',
  'featureNaming.example',
  'featureNaming.description',
  'featureLimit',
  'debtBudget',
  'requireComment',
];
const MAX_LIMIT = 1_000_000;
const TYPING_MS = 300;

const toDraft = ({ featureNaming, featureLimit, debtBudget, requireComment }: ProjectDetails): Draft => ({
  pattern: featureNaming.pattern ?? '',
  example: featureNaming.example ?? '',
  ruleDescription: featureNaming.description ?? '',
  featureLimit: String(featureLimit ?? ''),
  debtBudget: String(debtBudget ?? ''),
  requireComment,
});

const toNaming = ({ pattern, example, ruleDescription }: Draft) => ({
  pattern: pattern || null,
  example: example.trim() || null,
  description: ruleDescription.trim() || null,
});

const parseLimit = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Returns why a limit is invalid, or undefined if it is valid. */
const findLimitProblem = (text: string): string | undefined => {
  const limit = parseLimit(text);
  return limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= MAX_LIMIT)
    ? undefined
    : `Enter a whole number from 0 to ${formatNumber(MAX_LIMIT)}.`;
};

function Naming({ project, savedVersion }: { project: ProjectDetails; savedVersion: Version<Draft> }) {
  const client = useQueryClient();
  const { id } = project;
  const missingPermissions = useMissingPermissions('updateProjectSettings', { project: id });
  const read = async () => {
    const newest = await readProject(client, id);
    return { draft: toDraft(newest.project), etag: newest.etag };
  };
  const { draft, base, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `naming:${id}`,
    current: savedVersion,
    read,
    save: (sent, etag) =>
      updateSettings(
        id,
        {
          featureNaming: toNaming(sent),
          featureLimit: parseLimit(sent.featureLimit),
          debtBudget: parseLimit(sent.debtBudget),
          requireComment: sent.requireComment,
        },
        etag,
      ),
    findChange: () => findChange(buildProjectSubject(id)),
    onSaved: async () => {
      toast({ message: 'Rules and limits saved.' });
      return await read();
    },
  });
  const listedProject = useProject(id).project;
  const projectCounts = listedProject && 'featureCount' in listedProject ? listedProject : undefined;
  const activeFlags = projectCounts?.featureCount ?? 0;
  const staleFlags = projectCounts
    ? projectCounts.staleFeatureCount + projectCounts.potentiallyStaleFeatureCount
    : 0;
  const isReadOnly = missingPermissions.length > 0;
  // The debounced value is a string, because an object would be new in each render.
  const [typedNaming] = useDebouncedValue(JSON.stringify(toNaming(draft)), TYPING_MS);
  const naming: ReturnType<typeof toNaming> = JSON.parse(typedNaming);
  const check = useQuery({
    ...namingQuery(id, naming),
    enabled: !isReadOnly,
    placeholderData: keepPreviousData,
  });
  const messages = { ...messagesByField(check.error), ...messagesByField(error) };
  const problem =
    messages['featureNaming.pattern'] ??
    messages['featureNaming.example'] ??
    findLimitProblem(draft.featureLimit) ??
    findLimitProblem(draft.debtBudget);
  return (
    <FormAndEffect
      as="page"
      title="Effect"
      onSubmit={() => changes.length > 0 && !isReadOnly && !problem && editor.save()}
      form={
        conflict ? (
          <div className={s.fields}>
            <h2>Naming</h2>
            <Conflict noun="project" {...conflict} />
          </div>
        ) : (
          <div className={s.fields}>
            <h2>Naming</h2>
            <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
            <TextInput
              label="Pattern"
              description="A regular expression in RE2 syntax that the whole name of a new flag must match. Leave it empty for no rule."
              classNames={{ input: 'mono' }}
              placeholder="pay\..+"
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              readOnly={isReadOnly}
              value={draft.pattern}
              error={messages['featureNaming.pattern']}
              onChange={event => change({ pattern: event.target.value })}
            />
            <TextInput
              label="Example"
              description="A name that matches, shown in the form for new flags."
              classNames={{ input: 'mono' }}
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
              readOnly={isReadOnly}
              value={draft.example}
              error={messages['featureNaming.example']}
              onChange={event => change({ example: event.target.value })}
            />
            <Textarea
              label="Explanation"
              rows={2}
              maxLength={1000}
              readOnly={isReadOnly}
              value={draft.ruleDescription}
              error={messages['featureNaming.description']}
              onChange={event => change({ ruleDescription: event.target.value })}
            />
            <h2>Limits</h2>
            <TextInput
              label="Maximum number of flags"
              description="Leave it empty for no limit."
              inputMode="numeric"
              maxLength={9}
              autoComplete="off"
              readOnly={isReadOnly}
              value={draft.featureLimit}
              error={messages.featureLimit ?? findLimitProblem(draft.featureLimit)}
              onChange={event => change({ featureLimit: event.target.value })}
            />
            <TextInput
              label="Debt budget"
              description="Maximum number of stale and potentially stale flags. Leave it empty for no budget."
              inputMode="numeric"
              maxLength={9}
              autoComplete="off"
              readOnly={isReadOnly}
              value={draft.debtBudget}
              error={messages.debtBudget ?? findLimitProblem(draft.debtBudget)}
              onChange={event => change({ debtBudget: event.target.value })}
            />
            <h2>Changes</h2>
            <Checkbox
              label="Require a reason for every change to a flag"
              description="The event log shows the reason. Scripts send it in the Halyard-Comment header."
              disabled={isReadOnly}
              checked={draft.requireComment}
              error={messages.requireComment}
              onChange={event => change({ requireComment: event.target.checked })}
            />
          </div>
        )
      }
      bar={
        <>
          {!conflict && (changes.length > 0 || isReadOnly) && (
            <SaveBar
              changes={changes}
              action="Save"
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={isReadOnly || problem !== undefined}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )}
          {confirmation}
        </>
      }
    >
      <RailSection title="Saving affects">
        <Effects
          emptyText="Nothing. SDKs never see naming rules and limits."
          effects={[
            check.data !== undefined &&
              naming.pattern !== null && {
                title: 'Existing flags',
                aside:
                  check.data.violations === 0
                    ? 'all match'
                    : `${formatNumber(check.data.violations)} do not match`,
                text: <Violations check={check.data} project={id} />,
              },
            naming.pattern !== null && {
              title: 'New flags',
              text: (
                <>
                  Names must match <b className="mono">{naming.pattern}</b>. Creating, cloning, moving and
                  importing a flag with any other name is rejected.
                </>
              ),
            },
            naming.pattern === null &&
              base.pattern !== '' && { title: 'New flags', text: 'Any valid name is accepted.' },
            describeLimit(parseLimit(draft.featureLimit), activeFlags),
            describeBudget(parseLimit(draft.debtBudget), staleFlags),
            draft.requireComment !== base.requireComment && {
              title: 'Changes to flags',
              text: draft.requireComment
                ? 'The console asks for a reason. Requests from scripts and other tools are rejected without one.'
                : 'A reason is optional again.',
            },
          ]}
        />
      </RailSection>
      <LastChange subject={buildProjectSubject(id)} />
    </FormAndEffect>
  );
}

/** Lists the flags whose names the rule would not allow. They keep their names. */
function Violations({
  check: { features, violations, names },
  project,
}: {
  check: NamingCheck;
  project: string;
}) {
  if (violations === 0)
    return <>{features === 0 ? 'The project has no flags.' : 'Every name follows the rule.'}</>;
  return (
    <>
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <FlagLink project={project} name={name} />
        </span>
      ))}
      {violations > names.length && ` and ${formatNumber(violations - names.length)} more`} keep{' '}
      {violations === 1 ? 'its name' : 'their names'} and work as before.
    </>
  );
}

function describeLimit(limit: number | null, activeFlags: number): Effect | false {
  if (limit === null || Number.isNaN(limit)) return false;
  return {
    title: 'Number of flags',
    aside: `${formatNumber(activeFlags)} of ${formatNumber(limit)}`,
    text:
      activeFlags < limit
        ? `${formatCount(limit - activeFlags, 'more flag')} can be created.`
        : 'Nobody can create, clone, move or import a flag into the project until flags are archived.',
  };
}

function describeBudget(budget: number | null, staleFlags: number): Effect | false {
  if (budget === null || Number.isNaN(budget)) return false;
  return {
    title: 'Debt budget',
    aside: `${formatNumber(staleFlags)} of ${formatNumber(budget)}`,
    text:
      staleFlags <= budget
        ? 'Stale flags are within the budget.'
        : 'The budget is exceeded: nobody can add flags to the project until stale ones are archived.',
  };
}
