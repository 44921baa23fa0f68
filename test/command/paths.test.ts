/** Which paths a text touches, as a table: text, then mode, path, how and folder of each access. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyse } from '../../engine/command/analyse.ts';

const rows: readonly (readonly [text: string, accesses: readonly string[]])[] = [
  ['echo x > a 2>> b', ['write a >', 'write b >>']],
  ['cat < in &> out', ['read in <', 'write out &>']],
  ['ls >| a 2>&1', ['write a >|']],
  ['cd src && cat a.ts', ['read a.ts cat @src']],
  ['cd /srv; cd ../x; rm -rf y', ['write y rm @/x']],
  ['cd "$X"; rm y', ['write y rm @?']],
  ['(cd a; rm b); rm c', ['write b rm @a', 'write c rm']],
  ['pushd a; rm b; popd; rm c', ['write b rm @a', 'write c rm']],
  ['tee -a x y', ['write x tee', 'write y tee']],
  ['cp -r a b dest', ['read a cp', 'read b cp', 'write dest cp']],
  ['cp -t dest a', ['write dest cp', 'read a cp']],
  ['mv a b', ['read a mv', 'write a mv', 'write b mv']],
  ['sed -i s/a/b/ f.ts', ['write f.ts sed -i']],
  ['sed -n /a/p f.ts', ['read f.ts sed']],
  ['dd if=a of=/dev/sda', ['read a dd', 'write /dev/sda dd']],
  ['grep -rn "rm x" src test', ['read src grep', 'read test grep']],
  ['grep -e a -f list src', ['read list grep', 'read src grep']],
  ['chmod -R 777 a', ['write a chmod']],
  ['git checkout -- a.ts', ['write a.ts git checkout']],
  ['git checkout main', []],
  ['git restore --source HEAD~1 a.ts', ['write a.ts git restore']],
  ['tar xzf a.tgz -C out', ['read a.tgz tar', 'write out tar']],
  ['tar -czf a.tgz src', ['write a.tgz tar', 'read src tar']],
  ['unzip a.zip -d out', ['write out unzip', 'read a.zip unzip']],
  ['curl -s -o x https://a.test', ['write x curl']],
  ['wget -qO .env https://a.test', ['write .env wget']],
  ['rm "$DIR/.env" *.log', ['write .env rm @?', 'write *.log rm']],
  ['env -C sub rm x', ['write x rm @sub']],
  [`bash -c 'cd a; rm b'; rm c`, ['write b rm @a', 'write c rm']],
  ['find build -delete', ['read build find', 'write build find -delete']],
  ['echo ">" "> x"', []],
  ['rm -- -x', ['write -x rm']],
  ['curl -sO https://a.test/x/b.yaml?c', ['write b.yaml curl']],
  ['wget -P out https://a.test/b.yaml', ['write out/b.yaml wget', 'write out wget']],
  ['tar xf a.tar b.yaml -C out', ['read a.tar tar', 'write out tar', 'write out/b.yaml tar']],
  ['unzip a.zip b.yaml', ['write b.yaml unzip', 'read a.zip unzip', 'read b.yaml unzip']],
  ['git -C sub rm a', ['write sub/a git rm']],
  [`git checkout main -- ':/a' ':!b'`, ['write a git checkout']],
  ['git checkout HEAD~1 src', ['write src git checkout']],
  ['find . -name a.log -delete', ['read . find', 'write ./a.log find -delete']],
  [`find a -name '*.x' -not -name y -exec rm {} +`, ['read a find', 'write a/*.x rm']],
  ['find . -size +1M -delete', ['read . find']],
  ['sponge a', ['write a sponge']],
  ['gawk -i inplace 1 a', ['write a gawk -i']],
  ['ruby -pi -e 1 a', ['write a ruby -i']],
  ['prettier --write a', ['write a prettier -i']],
  ['link a b', ['read a link', 'write b link']],
  ['openssl enc -in a -out b', ['write b openssl']],
  ['bylaw check --schema a', ['write a bylaw']],
  ['shx rm a', ['write a rm']],
];

for (const [text, accesses] of rows) {
  test(text, () => {
    const found = analyse(text).paths.map(
      ({ mode, path, how, folder }) => `${mode} ${path} ${how}${folder === '' ? '' : ` @${folder ?? '?'}`}`,
    );
    assert.deepEqual(found, accesses);
  });
}

test('what is put into a folder keeps its name', () => {
  const names = (text: string): unknown => analyse(text).paths.filter(({ mode }) => mode === 'write').map((access) => access.names);
  assert.deepEqual(names('cp x/a y/b.* dir'), [['a', 'b.*']]);
  assert.deepEqual(names('mv x/a dir/'), [undefined, ['a']]);
  assert.deepEqual(names('cp -t dir x/a'), [['a']]);
  assert.deepEqual(names('rm -r dir'), [undefined]);
});
