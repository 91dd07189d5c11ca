// An editor opens the form for a new context field in a new tab, and uses the field as soon as it exists.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '../api/keys.ts';
import type { ContextField } from './queries.ts';

const CHANNEL = 'halyard-context-field';

/** Tells this browser's other windows that the user has created a context field. */
export function announceField(name: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(name);
  channel.close();
}

/**
 * Returns a function that starts to wait for the user to create a context field in a different window. The hook then calls
 * `onCreated` with that field, unless the user has chosen a different field in the meantime.
 */
export function useCreatedField(
  fields: readonly ContextField[],
  chosenName: string,
  onCreated: (field: ContextField) => void,
): () => void {
  const client = useQueryClient();
  /** The name of the field that was chosen when the hook started to wait. */
  const [startName, setStartName] = useState<string>();
  const [createdName, setCreatedName] = useState<string>();
  const isWaiting = startName !== undefined && startName === chosenName;
  useEffect(() => {
    if (!isWaiting) return;
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => {
      setCreatedName(String(data));
      void client.invalidateQueries({ queryKey: keys.contextFields });
    };
    return () => channel.close();
  }, [isWaiting, client]);
  const created = isWaiting ? fields.find(({ name }) => name === createdName) : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once for each created field
  useEffect(() => {
    if (!created) return;
    setStartName(undefined);
    setCreatedName(undefined);
    onCreated(created);
  }, [created]);
  return () => setStartName(chosenName);
}
