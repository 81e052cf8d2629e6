/** How often the event loop went round while the work was under way. */
export async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isOver = false;
  const count = (): void => {
    rounds++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    isOver = true;
  }
  return rounds;
}
