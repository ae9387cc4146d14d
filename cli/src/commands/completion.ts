import type { Command } from 'commander'
import { usage } from '../failure.ts'
import type { Session } from '../session.ts'
import { describe, type Run } from './command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function completionCommand(run: Run, program: () => Command) {
  return describe({
    name: 'completion',
    summary: 'Print the completions for a shell',
    examples: [
      'source <(batua completion bash)',
      'batua completion zsh > "${fpath[1]}/_batua"',
      'batua completion fish > ~/.config/fish/completions/batua.fish',
    ],
  })
    .argument('<shell>', SHELLS.join(', '))
    .action(
      run(async ({ out }: Session, _options, [shell]) => {
        const script = scriptFor(shell, wordsOf(program()))
        out.body({ shell, script })
        out.lines(script.trimEnd())
      }),
    )
}

/** What may follow the commands typed so far, such as `approvals approve`. */
interface Words {
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly { readonly flag: string; readonly description: string }[]
}

function wordsOf(command: Command, path = ''): Words[] {
  const all = command.commands.map(each => ({ name: each.name(), summary: each.summary() }))
  const options = command.options.map(({ long, short, description }) => ({
    flag: long ?? short ?? '',
    description,
  }))
  const own = { path, commands: all, options: [...options, { flag: '--help', description: 'show help' }] }
  return [own, ...command.commands.flatMap(each => wordsOf(each, `${path} ${each.name()}`.trim()))]
}

function scriptFor(shell: string | undefined, words: readonly Words[]): string {
  if (shell === 'bash') return bash(words)
  if (shell === 'zsh') return `#compdef batua\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw usage(`Completions exist for ${SHELLS.join(', ')}`)
}

/** zsh reads this too, by its bashcompinit. */
function bash(words: readonly Words[]): string {
  const everywhere = words[0]?.options.map(({ flag }) => flag) ?? []
  const cases = words.map(({ path, commands, options }) => {
    const flags = options.map(({ flag }) => flag)
    const list = [...commands.map(({ name }) => name), ...new Set([...flags, ...everywhere])]
    return `    '${path}') words='${list.join(' ')}' ;;`
  })
  const paths = words.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]))
  return `_batua() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed='' next words='' index=1
  while [ "$index" -lt "$COMP_CWORD" ]; do
    next="\${typed:+$typed }\${COMP_WORDS[index]}"
    case $next in
      ${paths.join('|')}) typed=$next ;;
    esac
    index=$((index + 1))
  done
  case $typed in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _batua batua
`
}

function fish(words: readonly Words[]): string {
  const lines = ['complete -c batua -f']
  for (const { path, commands, options } of words) {
    const names = commands.map(({ name }) => name).join(' ')
    const [first = '', second = ''] = path.split(' ')
    const isHere = path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${second || first}`
    const condition =
      path === '' || names === '' ? isHere : `${isHere}; and not __fish_seen_subcommand_from ${names}`
    for (const { name, summary } of commands)
      lines.push(`complete -c batua -n '${condition}' -a ${name} -d '${escaped(summary)}'`)
    const when = path === '' ? '' : ` -n '${isHere}'`
    for (const { flag, description } of options) {
      const name = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      lines.push(`complete -c batua${when} ${name} -d '${escaped(description)}'`)
    }
  }
  return `${lines.join('\n')}\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
