#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

#define NO_LIMIT ((size_t)1 << 30)

/* Each test runs in an empty folder of its own. */
struct place {
    struct arena arena;
    char folder[32];
    int home;
    struct file_error error;
    bool changed;
};

static int enter(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (!place) {
        return -1;
    }
    strcpy(place->folder, "/tmp/test-file-XXXXXX");
    place->home = open(".", O_RDONLY | O_DIRECTORY);
    *state = place;
    return place->home < 0 || !mkdtemp(place->folder) || chdir(place->folder) != 0 ? -1 : 0;
}

static int leave(void **state)
{
    struct place *place = *state;
    int result = fchdir(place->home);
    close(place->home);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", place->folder);
    result |= system(command);
    arena_free(&place->arena);
    free(place);
    return result;
}

static bool replace(struct place *place, const char *path, const char *content)
{
    return file_replace(&place->arena, path, content, strlen(content), &place->changed, &place->error);
}

static void assert_content(struct place *place, const char *path, const char *expected)
{
    struct bytes content;
    assert_true(file_read(&place->arena, path, NO_LIMIT, &content, &place->error));
    assert_int_equal(content.size, strlen(expected));
    assert_string_equal((const char *)content.data, expected);
}

static size_t entries(struct place *place, const char *folder)
{
    struct file_names names;
    assert_true(file_list(&place->arena, folder, "", &names, &place->error));
    return names.count;
}

static void assert_error(const struct place *place, const char *operation, const char *reason)
{
    assert_string_equal(place->error.operation, operation);
    assert_string_equal(place->error.reason, reason);
}

static void written_and_read_back(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "new.txt", "first"));
    assert_true(place->changed);
    assert_content(place, "new.txt", "first");
    assert_true(replace(place, "new.txt", "other"));
    assert_true(place->changed);
    assert_content(place, "new.txt", "other");
    assert_true(replace(place, "new.txt", ""));
    assert_content(place, "new.txt", "");
    assert_true(file_replace(&place->arena, "none", NULL, 0, &place->changed, &place->error));
    assert_content(place, "none", "");
    assert_int_equal(entries(place, "."), 2);
}

static void staged_files_wait_for_the_commit(void **state)
{
    struct place *place = *state;
    struct staged_file kept;
    struct staged_file dropped;
    struct staged_file same;
    assert_true(replace(place, "kept", "old"));
    assert_true(replace(place, "dropped", "old"));
    assert_true(replace(place, "same", "new"));
    assert_true(file_stage(&place->arena, "kept", "new", 3, &kept, &place->error));
    assert_true(file_stage(&place->arena, "dropped", "new", 3, &dropped, &place->error));
    assert_true(file_stage(&place->arena, "same", "new", 3, &same, &place->error));
    assert_false(kept.unchanged);
    assert_true(same.unchanged);
    assert_content(place, "kept", "old");
    file_discard(&dropped);
    file_discard(&same);
    assert_true(file_commit(&place->arena, &kept, &place->error));
    assert_content(place, "kept", "new");
    assert_content(place, "dropped", "old");
    assert_content(place, "same", "new");
    assert_int_equal(entries(place, "."), 3);
}

static void one_file_under_several_names(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "a", "same"));
    assert_true(replace(place, "b", "same"));
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(link("a", "second"), 0);
    assert_true(file_is_same("a", "./a"));
    assert_true(file_is_same("a", "link"));
    assert_true(file_is_same("second", "a"));
    assert_false(file_is_same("a", "b"));
    assert_false(file_is_same("a", "none"));
    assert_false(file_is_same("/dev/null", "/dev/null"));
}

static void bytes_of_all_kinds(void **state)
{
    struct place *place = *state;
    enum { SIZE = 300000 };
    uint8_t *data = ARENA_ARRAY(&place->arena, uint8_t, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        data[i] = (uint8_t)(i * 7 >> 3);
    }
    assert_true(file_replace(&place->arena, "binary", data, SIZE, &place->changed, &place->error));
    struct bytes content;
    assert_true(file_read(&place->arena, "binary", SIZE, &content, &place->error));
    assert_int_equal(content.size, SIZE);
    assert_memory_equal(content.data, data, SIZE);
    assert_int_equal(content.data[SIZE], 0);
}

static void limits_are_exact(void **state)
{
    struct place *place = *state;
    struct bytes content = {.size = 77};
    assert_true(replace(place, "five", "12345"));
    assert_true(file_read(&place->arena, "five", 5, &content, &place->error));
    content.size = 77;
    assert_false(file_read(&place->arena, "five", 4, &content, &place->error));
    assert_error(place, "read", "larger than 4 bytes");
    assert_int_equal(content.size, 77);
    assert_false(file_read(&place->arena, "/dev/zero", 100000, &content, &place->error));
    assert_error(place, "read", "larger than 100000 bytes");
    assert_true(file_read(&place->arena, "/dev/null", 0, &content, &place->error));
    assert_int_equal(content.size, 0);
}

static void pipes_are_read_to_the_end(void **state)
{
    struct place *place = *state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int descriptor = open("pipe", O_WRONLY);
        for (int i = 0; i < 50000; i++) {
            if (write(descriptor, "abcd", 4) != 4) {
                _exit(1);
            }
        }
        _exit(0);
    }
    struct bytes content;
    assert_true(file_read(&place->arena, "pipe", NO_LIMIT, &content, &place->error));
    assert_int_equal(content.size, 200000);
    assert_memory_equal(content.data + 199996, "abcd", 5);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void what_cannot_be_read(void **state)
{
    struct place *place = *state;
    struct bytes content;
    assert_false(file_read(&place->arena, "missing", NO_LIMIT, &content, &place->error));
    assert_error(place, "open", "No such file or directory");
    assert_false(file_read(&place->arena, ".", NO_LIMIT, &content, &place->error));
    assert_error(place, "read", "is a directory");
}

static void unchanged_files_keep_their_time(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "kept", "same"));
    const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, "kept", long_ago, 0), 0);
    struct stat before, after;
    assert_int_equal(stat("kept", &before), 0);
    assert_true(replace(place, "kept", "same"));
    assert_false(place->changed);
    assert_int_equal(stat("kept", &after), 0);
    assert_int_equal(after.st_mtim.tv_sec, 1000000000);
    assert_int_equal(after.st_ino, before.st_ino);
    assert_true(replace(place, "kept", "not!")); /* as long, but different */
    assert_true(place->changed);
    assert_int_equal(stat("kept", &after), 0);
    assert_true(after.st_mtim.tv_sec > 1000000000);
}

/* What is compared piece by piece may differ in its last byte only. */
static void large_files_are_compared_to_the_end(void **state)
{
    struct place *place = *state;
    enum { SIZE = 100001 };
    char *data = ARENA_ARRAY(&place->arena, char, SIZE);
    memset(data, 'x', SIZE);
    assert_true(file_replace(&place->arena, "large", data, SIZE, &place->changed, &place->error));
    assert_true(place->changed);
    assert_true(file_replace(&place->arena, "large", data, SIZE, &place->changed, &place->error));
    assert_false(place->changed);
    data[SIZE - 1] = 'y';
    assert_true(file_replace(&place->arena, "large", data, SIZE, &place->changed, &place->error));
    assert_true(place->changed);
}

static void permissions_are_kept(void **state)
{
    struct place *place = *state;
    struct stat status;
    mode_t old_mask = umask(027);
    assert_true(replace(place, "script", "1"));
    assert_int_equal(stat("script", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640); /* a new file obeys the umask */
    assert_int_equal(chmod("script", 0757), 0);
    assert_true(replace(place, "script", "2"));
    assert_int_equal(stat("script", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0757);
    umask(old_mask);
}

static void links_survive(void **state)
{
    struct place *place = *state;
    struct stat status;
    assert_true(replace(place, "folder/target", "1"));
    assert_int_equal(symlink("folder/target", "link"), 0);
    assert_true(replace(place, "link", "2"));
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_content(place, "folder/target", "2");
    assert_int_equal(entries(place, "folder"), 1);
}

static void parent_folders_are_made(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "a/b//c/file", "deep"));
    assert_content(place, "a/b/c/file", "deep");
    const char *absolute = path_join(&place->arena, place->folder, "d/file");
    assert_true(replace(place, absolute, "absolute"));
    assert_content(place, "d/file", "absolute");
}

static void what_cannot_be_written(void **state)
{
    struct place *place = *state;
    place->changed = true;
    assert_true(replace(place, "file", "1"));
    assert_false(replace(place, "file/below", "2"));
    assert_error(place, "create the folder of", "Not a directory");
    assert_false(replace(place, ".", "2"));
    assert_error(place, "write", "is a directory");
    assert_false(replace(place, "", "2"));
    assert_error(place, "create", "No such file or directory");
    assert_false(replace(place, "new/", "2"));
    assert_content(place, "file", "1");
    assert_int_equal(entries(place, "new"), 0);
}

static void names_may_be_as_long_as_names_can_be(void **state)
{
    struct place *place = *state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_true(replace(place, name, "1"));
    assert_content(place, name, "1");
}

static void devices_are_written_directly(void **state)
{
    struct place *place = *state;
    place->changed = false;
    assert_true(replace(place, "/dev/null", "gone"));
    assert_true(place->changed);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    place->changed = false;
    assert_false(replace(place, "/dev/full", "no room"));
    assert_error(place, "write", "No space left on device");
    assert_false(place->changed);
}

/* Runs `action` in a process of its own, which may lose its rights; it asserts by its exit code. */
static void in_child(struct place *place, bool (*action)(struct place *))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(action(place) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The file size limit makes write(2) fail half-way, as a full disk does. */
static bool write_more_than_the_limit(struct place *place)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return false;
    }
    const char *content = arena_format(&place->arena, "%5000d", 1);
    return !replace(place, "old", content) && text_equal(place->error.operation, "write") &&
           text_equal(place->error.reason, "File too large") && !replace(place, "new", content);
}

static void failed_writes_leave_the_old_file(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "old", "good"));
    in_child(place, write_more_than_the_limit);
    assert_content(place, "old", "good");
    assert_false(file_exists("new"));
    assert_int_equal(entries(place, "."), 1);
}

static bool write_as_nobody(struct place *place)
{
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return false;
    }
    bool same_is_fine = replace(place, "closed/old", "good") && !place->changed;
    bool failed = !replace(place, "closed/old", "new") && text_equal(place->error.operation, "create") &&
                  text_equal(place->error.reason, "Permission denied");
    return same_is_fine && failed && !replace(place, "closed/new", "new") && !replace(place, "closed/folder/new", "new");
}

static void unwritable_folders(void **state)
{
    struct place *place = *state;
    assert_true(replace(place, "closed/old", "good"));
    assert_int_equal(chmod(place->folder, 0755), 0);
    assert_int_equal(chmod("closed/old", 0644), 0);
    assert_int_equal(chmod("closed", 0555), 0);
    in_child(place, write_as_nobody);
    assert_content(place, "closed/old", "good");
    assert_int_equal(entries(place, "closed"), 1);
    assert_int_equal(chmod("closed", 0755), 0);
}

static void temporary_names_of_killed_runs_do_no_harm(void **state)
{
    struct place *place = *state;
    const char *taken = arena_format(&place->arena, ".helia-placement.%ld.0", (long)getpid());
    int descriptor = open(taken, O_WRONLY | O_CREAT, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_true(replace(place, "file", "1"));
    assert_content(place, "file", "1");
    assert_true(file_exists(taken));
}

static void lists_are_sorted_by_bytes(void **state)
{
    struct place *place = *state;
    static const char *const MADE[] = {"b.yaml", "a.yaml", "B.yaml", "\xC3\xA4.yaml", "c.yml", "a-b.yaml"};
    static const char *const LISTED[] = {"B.yaml", "a-b.yaml", "a.yaml", "b.yaml", "\xC3\xA4.yaml"};
    for (size_t i = 0; i < 6; i++) {
        assert_true(replace(place, MADE[i], ""));
    }
    struct file_names names;
    assert_true(file_list(&place->arena, ".", ".yaml", &names, &place->error));
    assert_int_equal(names.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(names.items[i], LISTED[i]);
    }
    assert_false(file_list(&place->arena, "missing", "", &names, &place->error));
    assert_error(place, "open", "No such file or directory");
    assert_int_equal(names.count, 5);
}

static void paths(void **state)
{
    struct arena *arena = &((struct place *)*state)->arena;
    assert_string_equal(path_folder(arena, "a/b/c.txt"), "a/b");
    assert_string_equal(path_folder(arena, "c.txt"), ".");
    assert_string_equal(path_folder(arena, "/c.txt"), "/");
    assert_string_equal(path_folder(arena, "a//c.txt"), "a");
    assert_string_equal(path_folder(arena, "a/"), "a");
    assert_string_equal(path_name("a/b/c.txt"), "c.txt");
    assert_string_equal(path_name("c.txt"), "c.txt");
    assert_string_equal(path_name("a/"), "");
    assert_string_equal(path_join(arena, "a", "b"), "a/b");
    assert_string_equal(path_join(arena, "a/", "b"), "a/b");
    assert_string_equal(path_join(arena, "a", "/b"), "/b");
    assert_string_equal(path_join(arena, ".", "b"), "b");
    assert_string_equal(path_join(arena, "", "b"), "b");
    assert_string_equal(path_join(arena, "/", "b"), "/b");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(written_and_read_back),
        IN_FOLDER(staged_files_wait_for_the_commit),
        IN_FOLDER(one_file_under_several_names),
        IN_FOLDER(bytes_of_all_kinds),
        IN_FOLDER(limits_are_exact),
        IN_FOLDER(pipes_are_read_to_the_end),
        IN_FOLDER(what_cannot_be_read),
        IN_FOLDER(unchanged_files_keep_their_time),
        IN_FOLDER(large_files_are_compared_to_the_end),
        IN_FOLDER(permissions_are_kept),
        IN_FOLDER(links_survive),
        IN_FOLDER(parent_folders_are_made),
        IN_FOLDER(what_cannot_be_written),
        IN_FOLDER(names_may_be_as_long_as_names_can_be),
        IN_FOLDER(devices_are_written_directly),
        IN_FOLDER(failed_writes_leave_the_old_file),
        IN_FOLDER(unwritable_folders),
        IN_FOLDER(temporary_names_of_killed_runs_do_no_harm),
        IN_FOLDER(lists_are_sorted_by_bytes),
        IN_FOLDER(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
