/** Which streams of a cluster belong to a log: those that begin with its prefix. */
import type { StreamName } from '@counterfoil/core';

const PREFIX = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*\.$/;

export class StreamNames {
  readonly prefix: string;

  constructor(prefix: string) {
    if (!PREFIX.test(prefix)) {
      throw new TypeError(
        'the prefix of a log has letters, digits, _ and dots, and ends with a dot',
      );
    }
    this.prefix = prefix;
  }

  /** The stream whose only event stands before all of the log. Its name does not begin with the prefix. */
  get beginning(): string {
    return `beginning-of-${this.prefix.slice(0, -1)}`;
  }

  onServer(stream: StreamName): string {
    return this.prefix + stream;
  }

  /**
   * The stream of this log that the server knows by this name; undefined for anybody else's. A dot
   * before the category's end tells of a log whose prefix begins with this one's.
   */
  inLog(name: string): StreamName | undefined {
    if (!name.startsWith(this.prefix)) return undefined;
    const stream = name.slice(this.prefix.length);
    const dash = stream.indexOf('-');
    const dot = stream.indexOf('.');
    if (dot >= 0 && (dash < 0 || dot < dash)) return undefined;
    return stream as StreamName;
  }
}
