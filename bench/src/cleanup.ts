/** What has to be undone at the end, in reverse order, also after a failure. */
export interface Cleanup {
  add(undo: () => Promise<void> | void): void
  run(): Promise<void>
}

export function cleanup(): Cleanup {
  const undos: (() => Promise<void> | void)[] = []
  let running: Promise<void> | undefined
  async function runAll(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo()
  }
  return {
    add: undo => void undos.push(undo),
    run: () => (running ??= runAll()),
  }
}
