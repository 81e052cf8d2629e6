import { DataType, load, open } from 'ffi-rs';
import { isPortTaken } from '../engine/free-port.js';

/** Linux: AF_INET, SOCK_STREAM with SOCK_CLOEXEC, SOL_SOCKET, SO_REUSEPORT. */
const linux = { family: 2, type: 1 | 0x80000, level: 1, reusePort: 15 };
const library = 'libc';

/**
 * Reserves a port of a loopback address: binds a socket with `SO_REUSEPORT`, and never listens on it. Until the returned function is
 * called, only processes of this user that set this option, as ClickHouse does with `listen_reuse_port`, can open the port. So no
 * other account can take it while ClickHouse has closed it. Source: socket(7). On other systems than Linux, it only checks that
 * the port is free.
 * @throws an Error if the port is in use
 */
export async function reservePort(port: number, host: string): Promise<() => void> {
  if (await isPortTaken(port, host))
    throw new Error(`ClickHouse cannot start: another process uses port ${port} of ${host}.`);
  if (process.platform !== 'linux') return () => undefined;
  const socket = call('socket', [linux.family, linux.type, 0]);
  const on = Buffer.alloc(4);
  on.writeInt32LE(1);
  const address = Buffer.alloc(16);
  address.writeUInt16LE(linux.family, 0);
  address.writeUInt16BE(port, 2);
  address.set(host.split('.').map(Number), 4);
  const failed =
    call('setsockopt', [socket, linux.level, linux.reusePort, on, on.length]) !== 0 ||
    call('bind', [socket, address, address.length]) !== 0;
  const release = () => void call('close', [socket]);
  if (!failed) return release;
  release();
  throw new Error(`ClickHouse cannot start: port ${port} of ${host} cannot be reserved.`);
}

/** Calls a function of the C library. */
function call(funcName: string, paramsValue: (number | Buffer)[]): number {
  open({ library, path: 'libc.so.6' });
  const paramsType = paramsValue.map((value) =>
    typeof value === 'number' ? DataType.I32 : DataType.U8Array,
  );
  return load({ library, funcName, retType: DataType.I32, paramsType, paramsValue });
}
