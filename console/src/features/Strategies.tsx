import { ActionIcon, Button } from '@mantine/core';
import { ArrowLeftRight, ChevronDown, ChevronUp, MoreHorizontal, Plus } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { readDraft, removeDraft } from '../ui/drafts.ts';
import { Empty } from '../ui/Empty.tsx';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useReasonRule } from '../ui/useReasonRule.ts';
import { Audience } from './Audience.tsx';
import { getDraftKey } from './draft.ts';
import s from './features.module.css';
import {
  deleteStrategy,
  type Feature,
  type FeatureEnvironment,
  orderStrategies,
  type Strategy,
} from './queries.ts';
import { VariantShares } from './VariantShares.tsx';

const loadEditor = () => loadChunk(() => import('./StrategyEditor.tsx'));
const CompareEnvironments = lazy(() =>
  loadChunk(() => import('./CompareEnvironments.tsx')).then(module => ({
    default: module.CompareEnvironments,
  })),
);
const StrategyEditor = lazy(() => loadEditor().then(module => ({ default: module.StrategyEditor })));

/**
 * Lists the strategies of one environment. In the URL, `?edit=<id>` or `?edit=new` is the open strategy, and
 * `?compare=<name>` is the environment to compare with.
 */
export function Strategies({
  feature,
  environment,
  segmentNames,
}: {
  feature: Feature;
  environment: FeatureEnvironment;
  segmentNames: ReadonlyMap<number, string>;
}) {
  const { search, push, replace, leave } = useFilters();
  const path = { projectId: feature.project, featureName: feature.name, environment: environment.name };
  const scope = { project: feature.project, environment: environment.name };
  const { strategies } = environment;
  const { environments } = feature;
  const environmentIndex = environments.findIndex(({ name }) => name === environment.name);
  // Prefers the previous environment, because changes usually come from there.
  const neighbor = environments[environmentIndex - 1] ?? environments[environmentIndex + 1];
  const comparedEnvironment = feature.archived
    ? undefined
    : environments.find(({ name }) => name === search.compare && name !== environment.name);
  const requestedId = typeof search.edit === 'string' ? search.edit : undefined;
  const draftKey = getDraftKey(feature.name, environment.name, requestedId);
  // An archived flag cannot be changed, so its editor opens only for unsaved input, which stays until the user discards it.
  const openId = feature.archived && readDraft(draftKey) === undefined ? undefined : requestedId;
  const rows = useRowsWithOpenStrategy(strategies, openId);
  const isOrphan =
    openId !== undefined &&
    openId !== 'new' &&
    !rows.some(({ id }) => id === openId) &&
    readDraft(draftKey) !== undefined;
  const close = () => replace({ edit: undefined });
  const heading = useRef<HTMLHeadingElement>(null);
  /** Moves the focus to the heading if the focused control disappeared together with an editor or a row. */
  const keepFocus = () =>
    void setTimeout(() => {
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.id === 'main') heading.current?.focus();
    });
  const finish = () => {
    leave({ edit: undefined });
    keepFocus();
  };
  const move = async (index: number, step: number) => {
    const ids = strategies.map(strategy => strategy.id);
    const [id] = ids.splice(index, 1);
    if (id === undefined || index + step < 0 || index + step > ids.length) return;
    ids.splice(index + step, 0, id);
    await orderStrategies(path, ids);
  };
  return (
    <section aria-label={`Strategies in ${environment.name}`} onPointerEnter={() => void loadEditor()}>
      <header className={s.sectionHead}>
        <h2 ref={heading} tabIndex={-1}>
          Strategies in {environment.name}
        </h2>
        <span className="muted">A user gets the flag if any strategy matches</span>
        <span className={s.sectionActions}>
          {!feature.archived && neighbor && (
            <Button
              leftSection={<ArrowLeftRight size={14} />}
              onClick={() => push({ compare: neighbor.name })}
            >
              Compare…
            </Button>
          )}
          {!feature.archived && (
            <Can call="addFeatureStrategy" {...scope}>
              <Button leftSection={<Plus size={14} />} onClick={() => push({ edit: 'new' })}>
                Add strategy
              </Button>
            </Can>
          )}
        </span>
      </header>
      {strategies.length === 0 && openId !== 'new' && (
        <Empty>
          {feature.archived
            ? 'No strategy.'
            : "No strategy yet. Enabling the flag adds the project's default strategy."}
        </Empty>
      )}
      <ol className={s.strategies}>
        {rows.map((strategy, index) => (
          <Row
            key={strategy.id}
            strategy={strategy}
            number={index + 1}
            segmentNames={segmentNames}
            feature={feature}
            environment={environment.name}
            isOpen={openId === strategy.id}
            onOpen={() => push({ edit: strategy.id })}
            onClose={close}
            onFinish={finish}
            onDeleted={keepFocus}
            isDeleted={!strategies.includes(strategy)}
            onMove={step => void move(index, step).catch(toastError)}
          />
        ))}
        {(openId === 'new' || isOrphan) && (
          <li className={s.strategy}>
            <Suspense fallback={<Skeleton rows={3} />}>
              <StrategyEditor
                key={openId}
                feature={feature}
                environment={environment.name}
                {...(isOrphan ? { strategyId: openId } : {})}
                onFinish={finish}
              />
            </Suspense>
          </li>
        )}
      </ol>
      {comparedEnvironment && (
        <Suspense>
          <CompareEnvironments
            feature={feature}
            environment={environment}
            other={comparedEnvironment}
            segmentNames={segmentNames}
            onChoose={name => replace({ compare: name })}
            onClose={() => replace({ compare: undefined })}
          />
        </Suspense>
      )}
    </section>
  );
}

/** Keeps the open strategy in the list after somebody deletes it, because its editor may contain unsaved input. */
function useRowsWithOpenStrategy(
  strategies: readonly Strategy[],
  openId: string | undefined,
): readonly Strategy[] {
  const index = strategies.findIndex(({ id }) => id === openId);
  const openStrategy = strategies[index];
  const [lastOpen, setLastOpen] = useState<{ strategy: Strategy; index: number }>();
  if (openStrategy && openStrategy !== lastOpen?.strategy) setLastOpen({ strategy: openStrategy, index });
  if (openStrategy || !lastOpen || lastOpen.strategy.id !== openId) return strategies;
  return strategies.toSpliced(lastOpen.index, 0, lastOpen.strategy);
}

function Row({
  strategy,
  number,
  segmentNames,
  feature,
  environment,
  isOpen,
  isDeleted,
  onOpen,
  onClose,
  onFinish,
  onDeleted,
  onMove,
}: {
  strategy: Strategy;
  number: number;
  segmentNames: ReadonlyMap<number, string>;
  feature: Feature;
  environment: string;
  isOpen: boolean;
  isDeleted: boolean;
  onOpen(): void;
  onClose(): void;
  onFinish(): void;
  onDeleted(): void;
  onMove(step: number): void;
}) {
  const [isDeleting, setDeleting] = useState(false);
  const scope = { project: feature.project, environment };
  const path = {
    projectId: feature.project,
    featureName: feature.name,
    environment,
    strategyId: strategy.id,
  };
  const reasonRule = useReasonRule(feature.project);
  const remove = async (reason: string) => {
    await deleteStrategy(path, reason);
    removeDraft(getDraftKey(feature.name, environment, strategy.id));
    if (isOpen) onFinish();
    toast({ message: 'Strategy deleted.' });
    onDeleted();
  };
  const summary = (
    <>
      {strategy.title && <b>{escapeText(strategy.title)}</b>}
      <Audience strategy={strategy} segmentNames={segmentNames} />
      <VariantShares variants={strategy.variants} />
    </>
  );
  return (
    <li
      className={s.strategy}
      onKeyDown={event => {
        if (feature.archived || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown'))
          return;
        event.preventDefault();
        onMove(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <header>
        <i className={s.number}>{number}</i>
        {feature.archived ? (
          <div className={s.summary}>{summary}</div>
        ) : (
          <button
            type="button"
            className={s.summary}
            aria-expanded={isOpen}
            onClick={isOpen ? onClose : onOpen}
          >
            {summary}
          </button>
        )}
        {isDeleted && <State tone="off">Deleted</State>}
        {strategy.disabled && <State tone="off">Disabled</State>}
        {!feature.archived && !isDeleted && (
          <>
            <Menu
              target={
                <ActionIcon aria-label={`Actions for strategy ${number}`}>
                  <MoreHorizontal size={16} />
                </ActionIcon>
              }
            >
              <MenuItem onClick={() => onMove(-1)}>Move up (Alt ↑)</MenuItem>
              <MenuItem onClick={() => onMove(1)}>Move down (Alt ↓)</MenuItem>
              <Can call="deleteFeatureStrategy" {...scope}>
                <MenuItem danger onClick={() => setDeleting(true)}>
                  Delete…
                </MenuItem>
              </Can>
            </Menu>
            <ActionIcon aria-label={isOpen ? 'Close' : 'Edit'} onClick={isOpen ? onClose : onOpen}>
              {isOpen ? <ChevronUp size={16} /> : <ChevronDown size={16} />}
            </ActionIcon>
          </>
        )}
      </header>
      {isOpen && (
        <Suspense fallback={<Skeleton rows={3} />}>
          <StrategyEditor
            key={strategy.id}
            feature={feature}
            environment={environment}
            strategyId={strategy.id}
            onFinish={onFinish}
          />
        </Suspense>
      )}
      <Confirm
        opened={isDeleting}
        title="Delete this strategy?"
        action="Delete strategy"
        danger
        reasonRule={reasonRule}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        <p>
          In {environment}: <Audience strategy={strategy} segmentNames={segmentNames} />
        </p>
      </Confirm>
    </li>
  );
}
