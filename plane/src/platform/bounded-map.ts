/** A map that evicts the oldest entry when it is full. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  /** Makes the entry the newest one. */
  override set(key: K, value: V): this {
    this.delete(key);
    const [oldest] = this.keys();
    if (this.size >= this.#most && oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
