/** A map that evicts the oldest entry when it is full. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  /** Makes the entry the newest one. */
  override set(key: K, value: V): this {
    this.delete(key);
    const [oldest] = this.keys();
    if (this.size >= this.#limit && oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
