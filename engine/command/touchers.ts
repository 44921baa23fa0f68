/** The programs that read or write the paths they are given, and which of their words are paths. */
import type { Grammar } from './options.ts';

export interface Toucher extends Grammar {
  /**
   * What the operands are: all read, all written, the last written and the others read,
   * all written but the last read-only one, or none of them a path.
   */
  readonly operands?: 'read' | 'write' | 'copy' | 'move' | 'link';
  /** Operands before the paths: a pattern, a mode, an owner. */
  readonly skip?: number;
  /** Options that stand in for the skipped operand: `grep -e`. */
  readonly instead?: string;
  /** Options whose value is a path that is read. */
  readonly reads?: string;
  /** Options whose value is a path that is written. */
  readonly writes?: string;
  /** With one of these options the operands are written: `sed -i`. */
  readonly inPlace?: string;
}

const read: Toucher = { operands: 'read' };
const write: Toucher = { operands: 'write' };
const search: Toucher = {
  operands: 'read',
  skip: 1,
  instead: '-e --regexp -f --file',
  values:
    '-e --regexp -f --file -A -B -C -m --max-count --include --exclude --exclude-dir -g --glob -t --type -T --type-not --color --context -d -D --label -j --threads -M --max-columns --sort -r --replace',
  reads: '-f --file',
};
const copy: Toucher = { operands: 'copy', values: '-t --target-directory -S --suffix', writes: '-t --target-directory' };
const awk: Toucher = {
  operands: 'read',
  skip: 1,
  instead: '-f --file',
  values: '-F -v -f --file --assign -i --include',
  reads: '-f --file',
  inPlace: '-i --include',
};
const owner: Toucher = { operands: 'write', skip: 1, instead: '--reference', values: '--reference --from' };

export const touchers: Readonly<Record<string, Toucher>> = {
  // Readers
  cat: read,
  tac: read,
  nl: read,
  less: read,
  more: read,
  wc: { operands: 'read', values: '--files0-from' },
  strings: { operands: 'read', values: '-n' },
  od: { operands: 'read', values: '-t -A -N -j' },
  xxd: { operands: 'read', values: '-l -s -c -g' },
  hexdump: { operands: 'read', values: '-n -s -e' },
  head: { operands: 'read', values: '-n --lines -c --bytes' },
  tail: { operands: 'read', values: '-n --lines -c --bytes -s --pid' },
  bat: { operands: 'read', values: '-l --language -r --line-range --theme' },
  batcat: read,
  base64: { operands: 'read', values: '-w --wrap' },
  md5sum: read,
  sha256sum: read,
  sha1sum: read,
  cksum: read,
  file: read,
  stat: { operands: 'read', values: '-c --format -f' },
  sort: { operands: 'read', values: '-k -t -o --output -S -T', writes: '-o --output' },
  uniq: { operands: 'copy', values: '-f -s -w' },
  cut: { operands: 'read', values: '-d -f -c -b --output-delimiter' },
  paste: { operands: 'read', values: '-d' },
  column: { operands: 'read', values: '-s -t' },
  rev: read,
  fold: { operands: 'read', values: '-w' },
  diff: { operands: 'read', values: '-U -C -I -x --exclude' },
  cmp: read,
  comm: read,
  join: { operands: 'read', values: '-t -1 -2 -o -j -a -e' },
  zcat: read,
  gunzip: write,
  gzip: write,
  bzip2: write,
  xz: write,
  zstd: read,
  grep: search,
  egrep: search,
  fgrep: search,
  rg: search,
  ag: search,
  zgrep: search,
  awk,
  jq: {
    operands: 'read',
    skip: 1,
    instead: '-f --from-file',
    values: '--arg --argjson --slurpfile --rawfile -f --from-file --indent',
    reads: '-f --from-file',
  },
  yq: { operands: 'read', skip: 1, values: '-o -p', inPlace: '-i --inplace' },
  source: read,
  '.': read,
  ls: { operands: 'read', values: '-I --ignore -w' },
  tree: { operands: 'read', values: '-L -I -P' },
  du: { operands: 'read', values: '-d --max-depth' },
  readlink: read,
  realpath: read,
  open: read,
  'xdg-open': read,
  vim: write,
  vi: write,
  nano: write,
  emacs: write,
  code: read,
  // Writers
  sed: {
    operands: 'read',
    skip: 1,
    instead: '-e --expression -f --file',
    values: '-e --expression -f --file -l',
    reads: '-f --file',
    inPlace: '-i --in-place',
  },
  perl: { values: '-e -E -I -M', inPlace: '-i', operands: 'read', skip: 1, instead: '-e -E' },
  tee: write,
  sponge: { operands: 'write' },
  ed: { operands: 'write', values: '-p --prompt' },
  ex: write,
  nvim: write,
  link: { operands: 'link' },
  ruby: { values: '-e -I -r -C', inPlace: '-i', operands: 'read', skip: 1, instead: '-e' },
  prettier: { operands: 'read', values: '--config --parser --plugin --ignore-path --log-level', inPlace: '-w --write' },
  dos2unix: write,
  rimraf: write,
  'del-cli': write,
  rename: { operands: 'write', skip: 1 },
  mount: { operands: 'write', values: '-o --options -t --types -L -U' },
  gpg: { values: '-o --output -r --recipient -u', writes: '-o --output' },
  pandoc: { operands: 'read', values: '-o --output -f --from -t --to', writes: '-o --output' },
  gcc: { values: '-o -I -L -l -D', writes: '-o' },
  clang: { values: '-o -I -L -l -D', writes: '-o' },
  openssl: { values: '-out -in -keyout -key -cert', writes: '-out -keyout', long: 'one-dash' },
  fallocate: { operands: 'write', values: '-l --length -o --offset' },
  chflags: owner,
  bylaw: { values: '--schema --mermaid --svg --policy --session --reason --for', writes: '--schema --mermaid --svg' },
  gsed: {
    operands: 'read',
    skip: 1,
    instead: '-e --expression -f --file',
    values: '-e --expression -f --file -l',
    inPlace: '-i --in-place',
  },
  gawk: awk,
  rm: write,
  rmdir: write,
  unlink: write,
  shred: { operands: 'write', values: '-n --iterations -s --size' },
  truncate: { operands: 'write', values: '-s --size -r --reference' },
  touch: { operands: 'write', values: '-d --date -t -r --reference' },
  mkdir: { operands: 'write', values: '-m --mode' },
  mkfifo: { operands: 'write', values: '-m --mode' },
  trash: write,
  'trash-put': write,
  srm: write,
  chmod: owner,
  chown: owner,
  chgrp: owner,
  chattr: owner,
  setfacl: { operands: 'write', values: '-m -x -M -X' },
  cp: copy,
  gcp: copy,
  mv: { ...copy, operands: 'move' },
  install: {
    operands: 'copy',
    values: '-m --mode -o --owner -g --group -t --target-directory -S --suffix',
    writes: '-t --target-directory',
  },
  ln: { operands: 'link', values: '-t --target-directory -S --suffix', writes: '-t --target-directory' },
  rsync: {
    operands: 'copy',
    values:
      '-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --rsync-path --port --bwlimit --log-file -T',
  },
  scp: { operands: 'copy', values: '-P -i -o -F -S -c -l -J' },
  patch: {
    operands: 'write',
    values: '-p -i --input -d --directory -o --output -r',
    reads: '-i --input',
    writes: '-o --output -d --directory',
  },
  tar: { values: '-f --file -C --directory -T --files-from -X --exclude --exclude-from -I --use-compress-program' },
  bsdtar: { values: '-f --file -C --directory -T --files-from -X --exclude -I' },
  unzip: { values: '-d -x -P', writes: '-d', operands: 'read' },
  zip: { operands: 'read', values: '-x -i -b' },
  curl: {
    values:
      '-o --output -d --data --data-binary --data-raw --data-urlencode -H --header -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -T --upload-file -F --form -K --config -w --write-out -m --max-time --connect-timeout --retry -x --proxy --cacert --cert --key -D --dump-header --output-dir',
    writes: '-o --output -c --cookie-jar -D --dump-header',
    reads: '-T --upload-file -K --config',
  },
  wget: {
    values:
      '-O --output-document -o --output-file -P --directory-prefix -i --input-file --header --post-data --post-file -U --user-agent -t --tries -T --timeout',
    writes: '-O --output-document -o --output-file -P --directory-prefix',
    reads: '-i --input-file --post-file',
  },
  split: { operands: 'copy', values: '-l -b -n -a' },
  csplit: { operands: 'read', values: '-f -b -n' },
};
