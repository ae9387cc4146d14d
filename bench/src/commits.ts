/** The service's commits so far, from its metrics. */
export interface Commits {
  readonly commits: number
  readonly commands: number
  readonly seconds: number
}

export async function readCommits(address: string): Promise<Commits> {
  const response = await fetch(`${address}/metrics`)
  const text = await response.text()
  return {
    commits: value(text, 'batua_ledger_batch_commands_count'),
    commands: value(text, 'batua_ledger_batch_commands_sum'),
    seconds: value(text, 'batua_ledger_batch_seconds_sum'),
  }
}

function value(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
