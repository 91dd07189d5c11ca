import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react';
import { loadChunk } from '../../api/chunks.ts';
import { messagesWithoutField } from '../../api/errors.ts';
import { useMissingPermissions } from '../../api/me.ts';
import { FormattedText } from '../../features/Audience.tsx';
import { type Draft, findDisallowedProblems, findProblems, toBody, toDraft } from '../../features/draft.ts';
import { FlagLink } from '../../features/FlagLink.tsx';
import { contextQuery, segmentsQuery } from '../../features/queries.ts';
import { describeStrategyAudience, toPlainText } from '../../features/words.ts';
import { Conflict } from '../../ui/Conflict.tsx';
import { Failure, FormErrors } from '../../ui/Failure.tsx';
import { findChange } from '../../ui/last-change.ts';
import { RailSection } from '../../ui/RailSection.tsx';
import { SaveBar } from '../../ui/SaveBar.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { useEditor } from '../../ui/useEditor.tsx';
import { useFilters } from '../../ui/useFilters.ts';
import type { Version } from '../../ui/versions.ts';
import { formatCount } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { Effects } from './Effects.tsx';
import {
  type DefaultStrategy,
  type EnvironmentInProject,
  type EnvironmentOfProject,
  environmentQuery,
  saveDefaultStrategy,
} from './queries.ts';
import s from './settings.module.css';
import { buildEnvironmentsSubject } from './subjects.ts';

/** Loads the fields separately, because the slider and the constraint editor are large. */
export const loadFields = () => loadChunk(() => import('../../features/StrategyFields.tsx'));
const StrategyFields = lazy(() => loadFields().then(module => ({ default: module.StrategyFields })));

type Parts = { fields: ReactNode; rail: ReactNode; bar: ReactNode; onSubmit(): void };
type Props = {
  project: ProjectDetails;
  environment: EnvironmentOfProject;
  /** Lays out the fields, their effect and the save bar. */
  render(parts: Parts): ReactNode;
};

/** The parameters that a flag without a strategy gets if the project has no default strategy. */
const EVERYONE_PARAMETERS = { rollout: '100', stickiness: 'default' };

const toDefaultDraft = (strategy: DefaultStrategy | undefined, stickiness: string): Draft =>
  strategy
    ? toDraft(strategy)
    : {
        name: 'flexibleRollout',
        title: '',
        disabled: false,
        parameters: { ...EVERYONE_PARAMETERS, stickiness },
        segments: [],
        constraints: [],
        variants: [],
      };

/** Edits the project's default strategy in an environment, starting from the newest state on the server. */
export function DefaultStrategyEditor(props: Props) {
  const target = { projectId: props.project.id, environment: props.environment.name };
  const environmentResult = useQuery({
    ...environmentQuery(target),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // A newer state must not replace the state that the input is based on. Saving detects whether there is a newer state.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const emptyParts = { rail: null, bar: null, onSubmit: () => {} };
  if (environmentResult.data)
    return (
      <Editor
        {...props}
        usage={environmentResult.data.environment}
        current={{
          draft: toDefaultDraft(
            environmentResult.data.environment.defaultStrategy,
            props.project.defaultStickiness,
          ),
          etag: environmentResult.data.etag,
        }}
      />
    );
  const fields = environmentResult.error ? (
    <Failure error={environmentResult.error} onRetry={() => void environmentResult.refetch()} />
  ) : (
    <Skeleton rows={3} />
  );
  return props.render({ ...emptyParts, fields });
}

function Editor({
  project,
  environment: { name: environment, type },
  usage,
  current,
  render,
}: Props & { usage: EnvironmentInProject; current: Version<Draft> }) {
  const client = useQueryClient();
  const { leave } = useFilters();
  const target = { projectId: project.id, environment };
  const segments = (useQuery(segmentsQuery).data?.segments ?? []).filter(
    segment => segment.project === null || segment.project === project.id,
  );
  const fields = (useQuery(contextQuery).data ?? []).filter(
    field => field.project === null || field.project === project.id,
  );
  const missingPermissions = useMissingPermissions('updateDefaultStrategy', { project: project.id });
  const close = () => leave({ edit: undefined });
  const { draft, base, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `default-strategy:${project.id}:${environment}`,
    current,
    read: async () => {
      const newest = await client.fetchQuery({ ...environmentQuery(target), staleTime: 0 });
      return {
        draft: toDefaultDraft(newest.environment.defaultStrategy, project.defaultStickiness),
        etag: newest.etag,
      };
    },
    save: (sent, etag) =>
      saveDefaultStrategy(target, { ...toBody(sent), sortOrder: usage.defaultStrategy?.sortOrder }, etag),
    findChange: () =>
      findChange({
        ...buildEnvironmentsSubject(project.id),
        isAbout: event => event.environment === environment,
      }),
    onSaved: async () => {
      toast({ message: `Saved the default strategy in ${environment}.` });
      close();
      return undefined;
    },
  });
  const element = useRef<HTMLDivElement>(null);
  const problems = [...findDisallowedProblems(draft.constraints, fields), ...findProblems(draft)];
  const messages = messagesWithoutField(error, []);
  const isInvalid = problems.length > 0 || missingPermissions.length > 0;
  const isProduction = type === 'production';
  return render({
    onSubmit: () => changes.length > 0 && !isInvalid && editor.save(),
    fields: conflict ? (
      <Conflict noun="default strategy" {...conflict} />
    ) : (
      <div ref={element}>
        <Suspense fallback={<Skeleton rows={3} />}>
          <StrategyFields
            draft={draft}
            segments={segments}
            fields={fields}
            disabled={editor.isPending}
            onChange={change}
          />
          <FirstFieldFocus container={element} />
        </Suspense>
        <FormErrors messages={messages} />
      </div>
    ),
    rail: (
      <Effect
        project={project.id}
        environment={environment}
        usage={usage}
        draftBefore={base}
        draftAfter={draft}
      />
    ),
    bar: (
      <>
        {!conflict && (
          <SaveBar
            changes={changes}
            action={isProduction ? `Save for ${environment}` : 'Save'}
            missingPermissions={missingPermissions}
            pending={editor.isPending}
            problems={problems}
            disabled={missingPermissions.length > 0}
            onSave={editor.save}
            onDiscard={() => {
              editor.discard();
              close();
            }}
          />
        )}
        {confirmation}
      </>
    ),
  });
}

/** Shows what the default strategy changes for flags with and without a strategy, and for new flags. */
function Effect({
  project,
  environment,
  usage,
  draftBefore,
  draftAfter,
}: {
  project: string;
  environment: string;
  usage: EnvironmentInProject;
  draftBefore: Draft;
  draftAfter: Draft;
}) {
  const names = new Map(
    (useQuery(segmentsQuery).data?.segments ?? []).map(segment => [segment.id, segment.name]),
  );
  const [textBefore, textAfter] = [
    toPlainText(describeStrategyAudience(draftBefore, names)),
    toPlainText(describeStrategyAudience(draftAfter, names)),
  ];
  const keptFlags = usage.features - usage.startingFeatures;
  const unnamedFlags = usage.startingFeatures - usage.startingFeatureNames.length;
  return (
    <RailSection title="Saving affects">
      <Effects
        emptyText=""
        effects={[
          {
            title: 'Existing strategies',
            aside: 'no change',
            text:
              keptFlags === 0
                ? `No flag has a strategy in ${environment} yet.`
                : `${formatCount(keptFlags, 'flag keeps its strategies', 'flags keep their strategies')} in ${environment}.`,
          },
          usage.startingFeatures > 0 && {
            title: 'Flags without a strategy',
            aside: formatCount(usage.startingFeatures, 'flag'),
            text: (
              <>
                {usage.startingFeatureNames.map((name, index) => (
                  <span key={name}>
                    {index > 0 && ', '}
                    <FlagLink project={project} name={name} />
                  </span>
                ))}
                {unnamedFlags > 0 && ` and ${unnamedFlags} more`}{' '}
                {usage.startingFeatures === 1 ? 'starts' : 'start'} with{' '}
                {textBefore !== textAfter && (
                  <>
                    <del className={s.del}>{textBefore}</del>{' '}
                  </>
                )}
                <ins className={s.add}>{textAfter}</ins> when someone enables{' '}
                {usage.startingFeatures === 1 ? 'it' : 'them'}.
              </>
            ),
          },
          {
            title: 'New flags',
            text: (
              <>
                Start with <FormattedText parts={describeStrategyAudience(draftAfter, names)} />.
              </>
            ),
          },
        ]}
      />
    </RailSection>
  );
}

/** Focuses the first field once the fields are loaded. */
function FirstFieldFocus({ container }: { container: RefObject<HTMLElement | null> }) {
  useEffect(() => container.current?.querySelector('input')?.focus(), [container]);
  return null;
}
