// `cairn completion`: prints shell scripts for completion. They ask `cairn __complete` for candidates and contain no
// command names, so new commands need no new script.
import { Argument, type Command } from 'commander';
import type { Io } from '../io.ts';
import { openSession } from '../session.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** Splits words at blanks only: bash would also split scopes and conditions at their colons. */
const BASH = String.raw`# Completion of cairn for bash.
_cairn() {
  local line="\${COMP_LINE:0:COMP_POINT}" candidate current before
  local -a words=()
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  before="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ "$candidate" == ":files" ]]; then
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$current")
      type compopt > /dev/null 2>&1 && compopt -o filenames
      return
    fi
    COMPREPLY+=("\${candidate#"$before"}")
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2> /dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == */ ]] && type compopt > /dev/null 2>&1 && compopt -o nospace
  return 0
}
complete -F _cairn cairn
`;

const ZSH = String.raw`#compdef cairn
# Completion of cairn for zsh.
_cairn() {
  local line
  local -a names abouts open
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}"; do
    [[ -z "$line" ]] && continue
    if [[ "$line" == ":files" ]]; then
      _files
      return
    fi
    if [[ "\${line%%$'\t'*}" == */ ]]; then
      open+=("\${line%%$'\t'*}")
    else
      names+=("\${line%%$'\t'*}")
      abouts+=("\${line/$'\t'/  }")
    fi
  done
  (( \${#open} )) && compadd -S '' -- "\${open[@]}"
  (( \${#names} )) && compadd -l -d abouts -- "\${names[@]}"
  return 0
}
if [[ "\${funcstack[1]}" == "_cairn" ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`;

const FISH = `# Completion of cairn for fish.
function __cairn_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l command $words[1]
  set -e words[1]
  set -l found ($command __complete $words "$current" 2> /dev/null)
  if test "$found" = ":files"
    __fish_complete_path "$current"
    return
  end
  for line in $found
    echo $line
  end
end
complete -c cairn -f -a '(__cairn_complete)'
`;

const written = (script: string) => script.replaceAll('\\$', '$');

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: written(BASH), zsh: written(ZSH), fish: written(FISH) };

export const INSTALLED: Readonly<Record<Shell, string>> = {
  bash: 'mkdir -p ~/.local/share/bash-completion/completions && cairn completion bash > ~/.local/share/bash-completion/completions/cairn',
  zsh: 'mkdir -p ~/.zfunc && cairn completion zsh > ~/.zfunc/_cairn   # with fpath+=(~/.zfunc) before compinit in ~/.zshrc',
  fish: 'mkdir -p ~/.config/fish/completions && cairn completion fish > ~/.config/fish/completions/cairn.fish',
};

const DESCRIPTION =
  'Prints a shell script that completes commands, flags and their choices. It also completes names of organizations, repositories, shapes, records and more, which it asks the server for.';

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell to print the script for').choices(SHELLS))
    .summary('print a completion script for bash, zsh or fish')
    .description(DESCRIPTION)
    .action((shell: Shell, _flags: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const script = SCRIPTS[shell];
      print({ shell, script, install: INSTALLED[shell] }, script.replace(/\n$/, ''));
      if (io.stdoutIsTerminal) say(`\nTo load it in every new shell: ${INSTALLED[shell]}`);
    });
}
