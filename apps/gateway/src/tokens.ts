/** What Nest injects where an interface, which is gone at run time, cannot be the name. */
export const READER = Symbol('EventReader');
export const SNAPSHOTS = Symbol('SnapshotStore');
export const DEFINITIONS = Symbol('Definitions');
